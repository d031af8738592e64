<?php
/** Settings → Website Optimization: pairing, state, last error, disconnecting. */

namespace Wos;

defined('ABSPATH') || exit;

final class Settings_Page
{
    const SLUG = 'wos-connector';
    const NONCE = 'wos_settings';
    const CAPABILITY = 'manage_options';

    /** @var string|null the code that was just made: it is shown once */
    private static $code;

    public static function register(): void
    {
        add_action('admin_menu', static function () {
            $name = __('Website Optimization', 'wos-connector');
            $page = add_options_page($name, $name, self::CAPABILITY, self::SLUG, [self::class, 'show']);
            add_action("load-$page", [self::class, 'act']); // before anything is printed
        });
        add_filter('plugin_action_links_' . plugin_basename(PLUGIN_FILE), static function (array $links): array {
            $url = admin_url('options-general.php?page=' . self::SLUG);
            array_unshift($links, '<a href="' . esc_url($url) . '">' . esc_html__('Settings', 'wos-connector') . '</a>');
            return $links;
        });
    }

    public static function show(): void
    {
        $code = self::$code;
        $connection = Connection::get();
        $problem = get_option(Connection::PROBLEM_OPTION);
        ?>
        <div class="wrap">
            <h1><?php esc_html_e('Website Optimization', 'wos-connector'); ?></h1>
            <?php if (null !== $code) : ?>
                <div class="notice notice-success">
                    <p><?php esc_html_e('Give this code and the address below to the service. It is good once, for 15 minutes.', 'wos-connector'); ?></p>
                    <p><code id="wos-code" style="font-size: 1.5em"><?php echo esc_html($code); ?></code></p>
                </div>
            <?php endif; ?>
            <table class="form-table" role="presentation">
                <tr>
                    <th scope="row"><?php esc_html_e('Address', 'wos-connector'); ?></th>
                    <td><code id="wos-address"><?php echo esc_html(untrailingslashit(rest_url(Api::SPACE))); ?></code></td>
                </tr>
                <tr>
                    <th scope="row"><?php esc_html_e('Connection', 'wos-connector'); ?></th>
                    <td id="wos-state"><?php self::state($connection); ?></td>
                </tr>
                <tr>
                    <th scope="row"><?php esc_html_e('Values are shown by', 'wos-connector'); ?></th>
                    <td><?php echo esc_html(Stores::why_none() ?? Stores::current()->label()); ?></td>
                </tr>
                <?php if (is_array($problem)) : ?>
                <tr>
                    <th scope="row"><?php esc_html_e('Last error', 'wos-connector'); ?></th>
                    <td id="wos-problem"><?php echo esc_html(wp_date('Y-m-d H:i', $problem['at']) . ': ' . $problem['text']); ?></td>
                </tr>
                <?php endif; ?>
            </table>
            <p><?php esc_html_e('Alt texts and redirects that were written here show only while this plugin is active.', 'wos-connector'); ?></p>
            <form method="post">
                <?php wp_nonce_field(self::NONCE); ?>
                <?php submit_button(__('Make a code', 'wos-connector'), 'primary', 'wos_code', false); ?>
                <?php if (null !== $connection) : ?>
                    <?php submit_button(__('Disconnect', 'wos-connector'), 'secondary', 'wos_disconnect', false); ?>
                <?php endif; ?>
            </form>
        </div>
        <?php
    }

    /** Does what a button asked for. */
    public static function act(): void
    {
        $disconnect = isset($_POST['wos_disconnect']);
        if (!$disconnect && !isset($_POST['wos_code'])) {
            return;
        }
        if (!current_user_can(self::CAPABILITY)) {
            wp_die(esc_html__('You may not do this.', 'wos-connector'), '', ['response' => 403]);
        }
        check_admin_referer(self::NONCE);
        if ($disconnect) {
            Connection::disconnect();
        } else {
            self::$code = Connection::new_code();
        }
    }

    private static function state(?array $connection): void
    {
        if (null === $connection) {
            esc_html_e('Not connected.', 'wos-connector');
            return;
        }
        $host = (string) wp_parse_url($connection['baseUrl'], PHP_URL_HOST);
        $since = wp_date('Y-m-d H:i', $connection['pairedAt']);
        /* translators: 1: host name of the service, 2: date and time */
        echo esc_html(sprintf(__('Connected to %1$s since %2$s.', 'wos-connector'), $host, $since));
    }
}
