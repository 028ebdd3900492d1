#!/bin/sh
# The checks that must pass before a change is merged. Any CI system can run this file: sh ci.sh
set -eu
cd "$(dirname "$0")"

npm ci
npm run check
npm test
npm run build
npx blazon doctor
