#!/bin/sh
# The pages, opened in a real browser from file://, without a network: nothing is complained about.
. "$SNUG_TESTS/cli/lib.sh"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
  echo "skipped: there is no Chromium (Debian: chromium)"
  exit 77
}

# browse PAGE OPTIONS...: what the browser says goes to `said`.
browse() {
  page=$1
  shift
  timeout 60 "$browser" --headless=new --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$PWD/profile" \
    --no-first-run --disable-background-networking --disable-component-update --host-resolver-rules='MAP * ~NOTFOUND' \
    --enable-logging=stderr --window-size=1000,900 "$@" "file://$PWD/$page" >dom 2>said
}

# This test can fail: a page that wants a script and a picture from elsewhere is complained about.
cat >bad.html <<'END'
<!DOCTYPE html><title>x</title><meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<script>1</script><img src="http://127.0.0.1:9/x.png">
END
browse bad.html --dump-dom || {
  echo "skipped: $browser does not start: $(tail -1 said)"
  exit 77
}
[ "$(grep -c CONSOLE said)" -ge 2 ] || fail "the browser does not tell what is wrong with a page: $(cat said)"

for kind in fit cut watch long hostile empty; do
  "$MAKE_RECORDING" $kind $kind.snug || fail "make_recording $kind"
  expect 0 report $kind.snug --html -q
done
expect 0 compare fit.snug cut.snug watch.snug hostile.snug --html -q
new_model m.keras
SNUG_CACHE="$PWD/cache" expect 0 plan m.keras --curve -o curve.html
for page in fit cut watch long hostile empty compare curve; do
  browse $page.html --dump-dom || fail "$page.html was not opened: $(cat said)"
  grep CONSOLE said && fail "$page.html: the browser complains"
  has dom "</html>"
  has dom "<h1"
done

# Light and dark are two pictures.
for colours in 0 1; do
  browse fit.html --blink-settings=preferredColorScheme=$colours --screenshot="$PWD/$colours.png" || fail "no picture"
  [ "$(wc -c <$colours.png)" -gt 10000 ] || fail "the picture is empty"
done
cmp -s 0.png 1.png && fail "dark is as light"
exit 0
