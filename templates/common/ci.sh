#!/bin/sh
# All that must pass before a change is merged. Any CI system can run it: sh ci.sh
set -eu
cd "$(dirname "$0")"

npm ci
npm run check
npm test
npm run build
npx blazon doctor
