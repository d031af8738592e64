<?php
/** Raised when a real file cannot be read or replaced. The file is as it was; the message is shown to people. */

namespace Wos;

defined('ABSPATH') || exit;

final class Unwritten extends \RuntimeException
{
}
