import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { builtPackage } from '../cli/built-package.js'
import { packPackage } from '../house/packed-package.js'
import { freePort } from '../integrations/free-port.js'

let tarball: string
let cwd: string

beforeAll(() => {
  tarball = packPackage()
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'blazon-ready-')))
})

afterAll(() => {
  rmSync(cwd, { recursive: true, force: true })
  rmSync(dirname(tarball), { recursive: true, force: true })
})

interface Outcome {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program as a shell of a user does. Its input is not a terminal. */
function run(
  [program = '', ...args]: readonly string[],
  { env = {}, folder = cwd }: { env?: NodeJS.ProcessEnv; folder?: string } = {},
): Promise<Outcome> {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|NODE_ENV$|TEST$|npm_|CI$|DATABASE_URL$|REDIS_URL$)/i.test(name),
  )
  const options = { cwd: folder, env: { ...Object.fromEntries(own), NO_COLOR: '1', ...env } }
  return new Promise((resolve) => {
    const child = execFile(program, args, options, (_, stdout, stderr) =>
      resolve({ status: child.exitCode, stdout, stderr }),
    )
    child.stdin?.end()
  })
}

const blazon = (...args: string[]) => [
  process.execPath,
  join(builtPackage(), 'dist/cli/main.js'),
  ...args,
]

// `matrix.test.ts` installs packages with pnpm and Yarn.
it('a new project passes its tests', async () => {
  const made = await run(blazon('new', 'api', '--pm', 'npm', '--package', tarball))
  expect(made).toMatchObject({ status: 0, stdout: expect.stringContaining('  npm test\n') })
  const folder = join(cwd, 'api')
  expect(existsSync(join(folder, '.git'))).toBe(true)
  const tested = await run(['npm', 'test'], { folder })
  expect(`${tested.status} ${tested.stdout}`).toMatch(/^0 [\s\S]*2 passed/)
})

it('without a network, a new project is complete, and the error contains the command to run', async () => {
  // Nothing listens there.
  const registry = `http://127.0.0.1:${await freePort()}/`
  const cache = join(cwd, 'empty-cache')
  const env = {
    npm_config_registry: registry,
    npm_config_cache: cache,
    npm_config_fetch_retries: '0',
  }
  const made = await run(blazon('new', 'offline', '--package', tarball), { env })
  expect(made).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(
      /ECONNREFUSED[\s\S]*The project is complete, but its packages are not installed\.\n {2}npm install ended with status 1\.\n {2}Run this command in .*offline: npm install\n$/,
    ),
  })
  expect(existsSync(join(cwd, 'offline/src/main.ts'))).toBe(true)
})

it('without a terminal, `blazon new` shows no prompts, and exits with status 2', async () => {
  expect(await run(blazon('new'))).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringContaining('blazon new my-api'),
  })
})
