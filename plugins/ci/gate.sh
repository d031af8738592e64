#!/bin/sh
# Audits a website and ends with status 0 (pass), 1 (fail) or 2 (unclear: no verdict). Needs only curl.
#
# WOS_URL    address of the API, such as https://seo.example.com/api/v1
# WOS_KEY    an API key with sites:read and audits:run; with issues:read for WOS_NO_NEW, and pages:read for reports
# WOS_SITE   id of the website
# WOS_AUDIT  id of an audit to judge, instead of starting one
# WOS_PREVIEW   address of a staging or preview deployment to audit instead of the website
# WOS_PREVIEW_USER, WOS_PREVIEW_PASSWORD   with which the crawler signs in at the preview (basic authentication)
# WOS_PREVIEW_HEADERS   headers with which the preview lets the crawler in, each on a line as "Name: value"
# WOS_PREVIEW_URLS   the only pages of the preview to read, separated by spaces or line breaks
# WOS_PREVIEW_ROBOTS   ignore: the crawler does not obey robots.txt and noindex of the preview
# WOS_MIN_SCORE, WOS_NO_NEW, WOS_MAX_LOSS   the conditions
# WOS_AGAINST   id of the audit to compare with
# WOS_PAGE_BUDGET   most pages that the audit reads
# WOS_WAIT_MINUTES   how long to wait for the audit (default 60)
# WOS_POLL_SECONDS   how often to ask for its progress (default 15)
# WOS_REPORTS   formats of reports to save, such as "sarif junit markdown"
# WOS_FOLDER   the folder for the reports (default .)
set -u

unclear() {
  printf 'unclear\n%s\n' "$1"
  finish unclear 2
}

finish() {
  [ -z "${GITHUB_OUTPUT:-}" ] || printf 'outcome=%s\naudit=%s\n' "$1" "${audit:-}" >>"$GITHUB_OUTPUT"
  exit "$2"
}

# Checks a value that goes into an address or into curl's configuration: it has no special characters.
plain() {
  case $2 in
    '' | *[!A-Za-z0-9._-]*) unclear "$1 is missing, or has other characters than letters, digits and . _ -" ;;
  esac
}

number() {
  case $2 in
    '' | *[!0-9]*) unclear "$1 must be a whole number." ;;
  esac
}

# A text of one line as a JSON string. Some versions of sed add a line feed, which $() removes.
quoted() {
  printf '"%s"' "$(printf %s "$1" | sed 's/[\\"]/\\&/g')"
}

# The headers, each line of its own, as the members of a JSON object.
members() {
  separator=
  printf '%s\n' "$1" | while IFS= read -r line; do
    case $line in
      '') ;;
      *:*)
        value=${line#*:}
        value=${value#"${value%%[! ]*}"}
        printf '%s%s: %s' "$separator" "$(quoted "${line%%:*}")" "$(quoted "$value")"
        separator=', '
        ;;
      *) exit 1 ;;
    esac
  done
}

# Words as the items of a JSON list.
listed() {
  separator=
  set -f
  for word in $1; do
    printf '%s%s' "$separator" "$(quoted "$word")"
    separator=', '
  done
}

one_line() {
  [ "$2" = "$(printf %s "$2" | tr -d '\000-\037\177')" ] || unclear "$1 has other characters than text of one line."
}

audit=
kind=audits
name=audit
poll=${WOS_POLL_SECONDS:-15}
minutes=${WOS_WAIT_MINUTES:-60}
folder=${WOS_FOLDER:-.}
case ${WOS_URL:-} in
  http://* | https://*) url=${WOS_URL%/} ;;
  *) unclear 'WOS_URL must be an address such as https://seo.example.com/api/v1' ;;
esac
plain WOS_KEY "${WOS_KEY:-}"
plain WOS_SITE "${WOS_SITE:-}"
number WOS_POLL_SECONDS "$poll"
number WOS_WAIT_MINUTES "$minutes"
[ -z "${WOS_PAGE_BUDGET:-}" ] || number WOS_PAGE_BUDGET "$WOS_PAGE_BUDGET"
[ -z "${WOS_AUDIT:-}" ] || plain WOS_AUDIT "$WOS_AUDIT"
for variable in WOS_PREVIEW WOS_PREVIEW_USER WOS_PREVIEW_PASSWORD; do
  eval "one_line $variable \"\${$variable:-}\""
done
if [ -n "${WOS_PREVIEW:-}" ]; then
  [ -z "${WOS_AUDIT:-}" ] || unclear 'WOS_AUDIT and WOS_PREVIEW do not go together.'
  [ -z "${WOS_PREVIEW_ROBOTS:-}" ] || plain WOS_PREVIEW_ROBOTS "$WOS_PREVIEW_ROBOTS"
  kind=previews
  name=preview
elif [ -n "${WOS_PREVIEW_USER:-}${WOS_PREVIEW_PASSWORD:-}${WOS_PREVIEW_HEADERS:-}${WOS_PREVIEW_URLS:-}\
${WOS_PREVIEW_ROBOTS:-}" ]; then
  unclear 'WOS_PREVIEW is empty, and other WOS_PREVIEW variables are set: the live website would be judged.'
fi
if [ -n "${WOS_PREVIEW_PASSWORD:-}" ] && [ -z "${WOS_PREVIEW_USER:-}" ]; then
  unclear 'WOS_PREVIEW_PASSWORD needs WOS_PREVIEW_USER.'
fi
newline='
'
one_line 'A line of WOS_PREVIEW_HEADERS' "$(printf %s "${WOS_PREVIEW_HEADERS:-}" | tr "$newline" ' ')"
one_line 'A line of WOS_PREVIEW_URLS' "$(printf %s "${WOS_PREVIEW_URLS:-}" | tr "$newline" ' ')"
headers=$(members "${WOS_PREVIEW_HEADERS:-}") ||
  unclear 'WOS_PREVIEW_HEADERS has a line that is not as "Name: value".'
twice=$(printf '%s\n' "${WOS_PREVIEW_HEADERS:-}" | sed 's/:.*//' | grep . | tr 'A-Z' 'a-z' | sort | uniq -d | sed -n 1p)
[ -z "$twice" ] || unclear "WOS_PREVIEW_HEADERS names the header $twice twice."
left=$((minutes * 60))
work=$(mktemp -d) || unclear 'There is no room for a temporary folder.'
trap 'rm -rf "$work"' EXIT
trap 'exit 2' INT TERM HUP

# Asks with the key, which stands in no list of processes. Answer and headers lie in $work; $status is empty where there
# was no answer.
ask() {
  status=$(
    printf 'header = "Authorization: Bearer %s"\n' "$WOS_KEY" |
      curl --config - --silent --show-error --max-time 120 --dump-header "$work/headers" --output "$work/answer" \
        --write-out '%{http_code}' "$@" 2>"$work/error"
  ) || status=
}

# The API's own words, or curl's, as one line.
why() {
  if [ -n "$status" ]; then
    printf 'The API answered %s: ' "$status"
    head -c 1000 "$work/answer" 2>/dev/null | tr -d '\000-\037\177'
  else
    printf 'The API does not answer: '
    head -c 1000 "$work/error" | tr -d '\000-\037\177'
  fi
}

# Waits until the next question. Fails when the time is over.
later() {
  [ "$left" -gt 0 ] || return 1
  sleep "$poll"
  left=$((left - (poll > 0 ? poll : 1)))
}

start() {
  body="\"pageBudget\": ${WOS_PAGE_BUDGET:-}"
  [ -n "${WOS_PAGE_BUDGET:-}" ] || body=
  if [ "$kind" = previews ]; then
    body="${body:+$body, }\"url\": $(quoted "$WOS_PREVIEW")"
    [ -z "${WOS_PREVIEW_ROBOTS:-}" ] || body="$body, \"robots\": $(quoted "$WOS_PREVIEW_ROBOTS")"
    [ -z "${WOS_PREVIEW_URLS:-}" ] || body="$body, \"urls\": [$(listed "$WOS_PREVIEW_URLS")]"
    [ -z "$headers" ] || body="$body, \"headers\": {$headers}"
    [ -z "${WOS_PREVIEW_USER:-}" ] || body="$body, \"basicAuth\": {\"username\": $(quoted "$WOS_PREVIEW_USER"), \
      \"password\": $(quoted "${WOS_PREVIEW_PASSWORD:-}")}"
  fi
  printf '{%s}' "$body" >"$work/body" # a file: it stands in no list of processes
  times=0
  once=
  while :; do
    times=$((times + 1))
    : "${once:=gate-$(date +%s)-$$-$times}"
    for _ in 1 2 3; do # no answer, or the service failed. The same start: the key of the request makes it one
      ask --request POST --header "Idempotency-Key: $once" --header 'Content-Type: application/json' \
        --data-binary "@$work/body" "$url/sites/$WOS_SITE/$kind"
      case $status in '' | 5??) sleep 2 ;; *) break ;; esac
    done
    [ "$status" = 409 ] || break
    # A try whose answer was lost still runs: its answer comes later, for the same key.
    if ! grep -q '"code":"idempotency_in_progress"' "$work/answer"; then
      # Another crawl holds the place, or two starts met: this one has its turn later.
      grep -q -e '"code":"already_running"' -e '"code":"preview_running"' -e '"code":"busy"' "$work/answer" || break
      once=
    fi
    later || break
  done
  rm -f "$work/body" # it may hold a password
  [ "$status" = 202 ] || unclear "No $name was started. $(why)"
  audit=$(sed -n 's#^[Ll]ocation:.*/'$kind'/\([A-Za-z0-9_]*\).*#\1#p' "$work/headers")
  [ -n "$audit" ] || unclear 'The API did not say what it started.'
}

judge() {
  set -- --get --data-urlencode format=text
  [ -z "${WOS_MIN_SCORE:-}" ] || set -- "$@" --data-urlencode "min_score=$WOS_MIN_SCORE"
  [ -z "${WOS_NO_NEW:-}" ] || set -- "$@" --data-urlencode "no_new=$WOS_NO_NEW"
  [ -z "${WOS_MAX_LOSS:-}" ] || set -- "$@" --data-urlencode "max_loss=$WOS_MAX_LOSS"
  [ -z "${WOS_AGAINST:-}" ] || set -- "$@" --data-urlencode "against=$WOS_AGAINST"
  ask "$@" "$url/sites/$WOS_SITE/$kind/$audit/gate"
}

# One that is refused for the moment, or gets no answer, is asked again; one that is wrong is not.
follow() {
  while :; do
    judge
    case $status in
      200)
        state=$(sed -n '2s/^status: //p' "$work/answer")
        case $state in queued | running) ;; *) return ;; esac
        ;;
      '' | 429 | 5??) ;;
      *) unclear "$(why)" ;;
    esac
    later || break
  done
  [ "$status" = 200 ] || unclear "$(why)"
  unclear "The $name $audit has not ended within $minutes minutes."
}

# $1: the format, $2: the file. A large report lies at another address, which gets no key.
report() {
  ask --get --data-urlencode "format=$1" --location "$url/sites/$WOS_SITE/$kind/$audit/report"
  if [ "$status" = 200 ]; then
    cp "$work/answer" "$2" || printf 'The report %s could not be saved.\n' "$1"
  else
    printf 'No report as %s. %s\n' "$1" "$(why)"
  fi
}

audit=${WOS_AUDIT:-}
[ -n "$audit" ] || start
follow
cp "$work/answer" "$work/gate"
outcome=$(sed -n 1p "$work/gate")
cat "$work/gate"
if [ "$state" = done ] || [ "$state" = cancelled ]; then
  [ -z "${WOS_REPORTS:-}" ] || mkdir -p "$folder" || printf 'The folder %s cannot be made.\n' "$folder"
  for format in ${WOS_REPORTS:-}; do
    case $format in
      sarif | json | csv) report "$format" "$folder/report.$format" ;;
      junit) report junit "$folder/report.xml" ;;
      markdown) report markdown "$folder/report.md" ;;
      *) printf 'There is no report as %s.\n' "$format" ;;
    esac
  done
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
    report markdown "$work/summary"
    [ ! -f "$work/summary" ] || cat "$work/summary" >>"$GITHUB_STEP_SUMMARY"
  fi
fi
case $outcome in
  pass) finish pass 0 ;;
  fail) finish fail 1 ;;
  *) finish unclear 2 ;;
esac
