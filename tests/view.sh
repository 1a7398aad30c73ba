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
# ---- Meshes: regular files of the robot's folder or package, each once, within one limit ----

# What the page holds: the names of its files.
files_of() { sed -n '/"files":/,/"same":/p' "$1" | grep -o '^\["[^"]*"' "$1" | sed 's/^\["//; s/"$//'; }
holds() { files_of page.html | grep -qxF "$1"; }
# A robot with these visuals: robot FILE NAME...
robot() {
  file=$1
  shift
  { printf '<robot name="r"><link name="base">'
    for mesh; do printf '<visual><geometry><mesh filename="%s"/></geometry></visual>' "$mesh"; done
    printf '</link></robot>\n'; } >"$file"
}
show() { # FILE [OPTION...]: in a second, whatever the files are
  status=0
  timeout 20 "$command" view "$@" --page empty.html --out page.html >said 2>told || status=$?
}
mkdir -p work/robots/arm/urdf work/robots/arm/meshes work/robots/other/meshes secret
for mesh in work/robots/arm/meshes/arm.stl work/robots/arm/urdf/near.obj work/robots/other/meshes/tool.dae secret/plan.stl; do echo "solid $mesh" >"$mesh"; done
urdf=work/robots/arm/urdf/arm.urdf

# beside the robot: always; in its package, or one beside that: only if they are packages
robot "$urdf" near.obj package://arm/meshes/arm.stl ../meshes/arm.stl package://other/meshes/tool.dae
show "$urdf"
[ $status = 0 ] || fail "a robot with meshes makes no page"
holds near.obj || fail "a mesh beside the robot is not in the page"
if holds package://arm/meshes/arm.stl; then fail "a mesh outside the robot's folder is in the page"; fi
grep -q 'package://arm/meshes/arm.stl' told || fail "a mesh that was not read is not named"
grep -q -- "--meshes $tmp/work/robots/arm/meshes/\|--meshes .*/work/robots/" told || fail "the remedy is not named"
touch work/robots/arm/package.xml work/robots/other/package.xml
show "$urdf"
holds ../meshes/arm.stl || fail "a mesh of the robot's package is not in the page"
holds package://other/meshes/tool.dae || fail "a mesh of another package is not in the page"
[ "$(files_of page.html | grep -c 'arm.stl')" = 1 ] || fail "two names of one file are in the page twice"
grep -q 'It contains arm.urdf and 3 meshes' said || fail "the command does not say what the page holds: $(cat said)"
grep -qF '["package://arm/meshes/arm.stl","../meshes/arm.stl"]' page.html || fail "the other name of a file is not in the page"
[ ! -s told ] || fail "a message without a reason: $(cat told)"
rm work/robots/arm/package.xml work/robots/other/package.xml
show "$urdf" --meshes work/robots
holds package://other/meshes/tool.dae || fail "--meshes is ignored"

# what a stranger's file may name: nothing of it is opened
ln -s ../../../../secret/plan.stl work/robots/arm/urdf/link.stl
ln -s ../../../../secret work/robots/arm/urdf/folder
mkfifo work/robots/arm/urdf/pipe.stl
mkdir work/robots/arm/urdf/folder.stl
for name in "$tmp/secret/plan.stl" "file://$tmp/secret/plan.stl" ../../../../secret/plan.stl link.stl folder/plan.stl \
  package://secret/plan.stl "package://arm/../../../secret/plan.stl" pipe.stl folder.stl /dev/zero /dev/stdin near.ply; do
  robot "$urdf" "$name"
  show "$urdf"
  [ $status = 0 ] || fail "$name: exit status $status"
  [ "$(files_of page.html)" = arm.urdf ] || fail "$name: the page holds $(files_of page.html)"
  grep -qF "$name" told || fail "$name: it is not named: $(cat told)"
done
robot "$urdf" link.stl
show "$urdf" --meshes secret
holds link.stl || fail "a link to a folder of --meshes is not in the page"
# comments and other elements are not meshes of visuals
printf '<robot name="r"><!-- <link><visual><geometry><mesh filename="near.obj"/></geometry></visual></link> --><link name="a"><collision><geometry><mesh filename="near.obj"/></geometry></collision></link><gazebo><plugin filename="near.obj"/></gazebo></robot>' >"$urdf"
show "$urdf"
[ "$(files_of page.html)" = arm.urdf ] || fail "a comment, collision or plugin is read as a mesh"
robot "$urdf" near.obj
if "$command" view "$urdf" --page empty.html --out work/robots/arm/urdf/near.obj 2>told; then fail "a mesh is written over by the page that shows it"; fi

# one limit for all files, and time in proportion to the file
head -c 1000000 /dev/zero >work/robots/arm/urdf/big.stl
i=0 names=""
while [ $i -lt 40 ]; do cp work/robots/arm/urdf/big.stl "work/robots/arm/urdf/big$i.stl"; names="$names big$i.stl"; i=$((i + 1)); done
# shellcheck disable=SC2086  # a list of words
robot "$urdf" $names
show "$urdf" --max-bytes 10M
[ $status = 1 ] || fail "the limit does not count all meshes together"
grep -q 'all files of the page together' told || fail "why is not said: $(cat told)"
for count in 20000 80000; do
  { printf '<robot name="r"><link name="base">'
    awk -v n=$count 'BEGIN { for (i = 0; i < n; i++) printf "<visual><geometry><mesh filename=\"near.obj\"/></geometry></visual><visual><geometry><mesh filename=\"lost%d.stl\"/></geometry></visual>", i }'
    printf '</link></robot>\n'; } >"$urdf"
  show "$urdf"
  [ $status = 0 ] || fail "$count meshes: exit status $status"
  [ "$(files_of page.html | grep -c near.obj)" = 1 ] || fail "one name is in the page several times"
done
grep -q "and $((count - 10)) more" told || fail "the meshes that were not found are not counted"
if grep -q web/dist "$command"; then fail "the command contains a path of the source tree"; fi
echo "jounce view fills the page as it should"
