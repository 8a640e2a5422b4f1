# Ends the script that includes it, with a line, where Node is missing. Installs what the client is made with.
if ! command -v npm > /dev/null || ! node -e 'process.exit(process.versions.node.split(".")[0] < 20 ? 1 : 0)'; then
  echo "clients/typescript is left out: Node 20 or newer with npm is missing."
  exit 0
fi
# By content: another branch in the same tree makes every file look new.
if ! cmp -s package-lock.json node_modules/.installed; then
  if ! npm ci --no-audit --no-fund --loglevel=error; then
    echo "clients/typescript is left out: npm cannot install what it is made with."
    [ -z "${TOOLS_REQUIRED:-}" ] && exit 0 || exit 1
  fi
  cp package-lock.json node_modules/.installed
fi
