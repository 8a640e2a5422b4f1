# Ends the script that includes it, with a line, where Node is missing. Installs what the client is made with.
if ! command -v npm > /dev/null || ! node -e 'process.exit(process.versions.node.split(".")[0] < 20 ? 1 : 0)'; then
  echo "clients/typescript is left out: Node 20 or newer with npm is missing."
  exit 0
fi
if [ package-lock.json -nt node_modules/.package-lock.json ]; then
  npm ci --no-audit --no-fund --loglevel=error
  touch node_modules/.package-lock.json
fi
