import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { copySources } from '../defects/tree.js'
import { root } from '../root.js'

it('`npm start` in a fresh clone installs only what it needs, builds nothing, and starts the example', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'blazon-clone-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  copySources(root, folder)
  // As in a shell: nothing of this test run, and no server that a machine happens to have.
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|NODE_ENV$|TEST$|npm_|DATABASE_URL$|REDIS_URL$)/i.test(name),
  )
  const env = { ...Object.fromEntries(own), PORT: '0' }
  const npm = spawn('npm', ['start'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(npm, 'close')
  let paths: object | undefined
  for await (const line of createInterface({ input: npm.stdout })) {
    const url = /"url":"([^"]+)/.exec(line)?.[1]
    if (url === undefined || paths !== undefined) continue
    paths = ((await (await fetch(`${url}/api-docs.json`)).json()) as { paths: object }).paths
    npm.kill('SIGTERM')
  }
  await ended
  expect(paths).toHaveProperty(['/orders'])
  expect(existsSync(join(folder, 'dist'))).toBe(false)
  expect(existsSync(join(folder, 'node_modules/tsx'))).toBe(true)
  expect(existsSync(join(folder, 'node_modules/vitest'))).toBe(false)
})
