#!/bin/sh
# jounce view fills the empty page and nothing else; what is in files cannot become markup.   view.sh COMMAND
set -eu
command=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
fail() { echo "view.sh: $*"; exit 1; }
printf '<html><script id="given" type="application/json">null</script><p>rest</p></html>\n' >empty.html

"$command" view builtin:panda builtin:demo --page empty.html --out page.html >said
grep -q '"source":"builtin:panda"' page.html || fail "the robot is not in the page"
grep -q '"motion":"builtin:demo"' page.html || fail "the motion is not in the page"
grep -q '<p>rest</p>' page.html || fail "the rest of the page is lost"
grep -q 'page.html' said || fail "the command does not say what it wrote"

printf '{"format": "jounce-model", "version": 1}' >bad.json
cp page.html before.html
if "$command" view bad.json --page empty.html --out page.html 2>/dev/null; then fail "a bad robot makes a page"; fi
cmp -s page.html before.html || fail "a bad robot changes the page"
if "$command" view builtin:panda --page page.html --out other.html 2>said; then fail "a page that is filled is filled again"; fi
grep -q 'has a robot already' said || fail "why is not said"
if "$command" view builtin:panda motion.csv --page empty.html --out other.html 2>/dev/null; then fail "a missing motion is ignored"; fi
[ ! -e other.html ] || fail "half a page is written"

# Names and contents of files are encoded: the only tags in the page are its own.
name='<img src=x onerror=alert(1)>.json'
"$command" convert builtin:planar_2r model.json
mv model.json "$name"
"$command" view "$name" --page empty.html --out page.html >/dev/null
[ "$(grep -o '<img' page.html | wc -l)" = 0 ] || fail "the name of a file is markup"
"$command" view - --page empty.html --out page.html <"$name" >/dev/null
grep -q '"robot.json"' page.html || fail "standard input is not in the page"
# Which page: --page, then JOUNCE_PAGE, then the one that is installed with the command, wherever that is.
JOUNCE_PAGE=empty.html "$command" view builtin:panda --out named.html >/dev/null
grep -q '<p>rest</p>' named.html || fail "JOUNCE_PAGE is ignored"
if JOUNCE_PAGE=none.html "$command" view builtin:panda --out other.html 2>said; then fail "a page that does not exist is filled"; fi
grep -q none.html said || fail "the message does not name the page that does not exist"
mkdir -p prefix/bin prefix/share/jounce
cp "$command" prefix/bin/jounce
if prefix/bin/jounce view builtin:panda --out other.html 2>said; then fail "there is no page to fill"; fi
grep -q 'script/web' said || fail "the message does not say how to get the page"
sed 's/rest/installed/' empty.html >prefix/share/jounce/page.html
if [ -e /proc/self/exe ]; then
  prefix/bin/jounce view builtin:panda --out own.html >/dev/null
  grep -q '<p>installed</p>' own.html || fail "the command does not find the page that is installed with it"
fi
if grep -q web/dist "$command"; then fail "the command contains a path of the source tree"; fi
echo "jounce view fills the page as it should"
