#!/usr/bin/env node
// npm create blazon my-api -- --template service: the same as `blazon new my-api --template service`.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const manifest = createRequire(import.meta.url).resolve('blazon/package.json')
const { bin } = JSON.parse(readFileSync(manifest, 'utf8'))
const command = join(dirname(manifest), bin.blazon)
const { status } = spawnSync(process.execPath, [command, 'new', ...process.argv.slice(2)], {
  stdio: 'inherit',
})
process.exitCode = status ?? 1
