import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

// The tests import the package by its name, as its users do.
const alias = [
  { find: /^blazon\/testing$/, replacement: source('./src/testing/index.ts') },
  { find: /^blazon\/jwt$/, replacement: source('./src/integrations/jwt/index.ts') },
  { find: /^blazon\/redis$/, replacement: source('./src/integrations/redis/index.ts') },
  { find: /^blazon\/sessions$/, replacement: source('./src/integrations/sessions/index.ts') },
  { find: /^blazon\/otel$/, replacement: source('./src/integrations/otel/index.ts') },
  { find: /^blazon\/postgres$/, replacement: source('./src/integrations/postgres/index.ts') },
  { find: /^blazon\/keys$/, replacement: source('./src/integrations/api-keys/index.ts') },
  { find: /^blazon\/typeorm$/, replacement: source('./src/integrations/typeorm/index.ts') },
  { find: /^blazon\/vite$/, replacement: source('./src/integrations/vite/index.ts') },
  { find: /^blazon$/, replacement: source('./src/index.ts') },
]

/**
 * They only end what hangs: many tests compile, start programs or fuzz, which takes ten times as long on a busy machine, and none
 * is about speed.
 */
const LIMITS = {
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 30_000 } },
} as const

/** One dialect of decorators: the same files are compiled both ways. */
export function dialect(name: 'standard' | 'legacy', include: string[], exclude: string[] = []) {
  const compilerOptions = { experimentalDecorators: name === 'legacy', target: 'es2022' }
  return {
    resolve: { alias },
    esbuild: { target: 'es2022', tsconfigRaw: { compilerOptions } },
    test: { name, include, exclude, env: { BLAZON_DIALECT: name }, ...LIMITS },
  } as const
}

/**
 * The same, for files that share a process: each loads the package from the modules that an earlier file has loaded, which
 * takes a third of the time. They must not depend on each other: `--sequence.shuffle` has to pass.
 */
function shared(...args: Parameters<typeof dialect>) {
  const { test, ...project } = dialect(...args)
  return { ...project, test: { ...test, isolate: false, setupFiles: RESTORE } } as const
}

/** The same, for files that need a process of their own. */
function alone(...args: Parameters<typeof dialect>) {
  const { test, ...project } = dialect(...args)
  return { ...project, test: { ...test, name: `${args[0]}-alone` } } as const
}

/** Takes back what a file has replaced in the process that it shares. */
const RESTORE = source('./test/restore.ts')

const LEGACY_ONLY = 'test/**/*.legacy.test.ts'
const JOURNEYS = ['test/journeys/**/*.test.ts', 'test/surface/**/*.test.ts']
/** The tests of the projects that `blazon new` makes, before they are projects. */
const TEMPLATES = 'templates/**/*.test.ts'
const BROWSER = 'test/browser/**/*.test.ts'

/** Packages of their own, and attacks at length: each has a command of its own in `package.json`, `npm run test:…`. */
const ELSEWHERE = [
  'test/openapi-tools/**',
  'test/runners/**',
  'test/runtimes/**',
  'test/prisma/**',
  'test/package/**',
  'test/scaffold/**',
  'test/mutants/**',
  'test/hostile/**',
  '**/node_modules/**',
]

/** Journeys that look at all that is open, running or listened to in their process, or replace it. */
export const ALONE_JOURNEYS = [
  'test/journeys/app/test-app.test.ts',
  'test/journeys/cache/manager.test.ts',
  'test/journeys/otel/**/*.test.ts',
  'test/journeys/passwords/**/*.test.ts',
  'test/journeys/redis/**/*.test.ts',
  'test/journeys/sessions/transactions.test.ts',
  'test/journeys/testing/rejections.test.ts',
]

/**
 * Other files that do so, that mock a module, that start processes and servers, or whose helpers end after one file what they
 * started.
 */
export const ALONE = [
  'test/app/{bundled-app,explained-steps,system-clock,uncaught-boot-error}.test.ts',
  'test/cli/{add-to-templates,command,command-mistakes,db,dev,dev-dashboard,dev-database,doctor,doctor-claims,explain,keys,loaded-modules,new,create-blazon,replay-project}.test.ts',
  'test/docs/{cli,migrations,postgres,readme,snippets,tutorial,two-processes}.test.ts',
  'test/features/cache/unused.test.ts',
  'test/features/unused-{audience,pages,records,representations}.test.ts',
  'test/house/{build,package,peers,scripts}.test.ts',
  'test/integrations/**/*.test.ts',
  'test/operating/**/*.test.ts',
  'test/schema/date-text.test.ts',
  'test/schema/libraries/installed.test.ts',
  'test/testing/fuzz/options.test.ts',
  'examples/**/*.test.ts',
  TEMPLATES,
]

/** Tests that take long. `npm test` leaves them and the browser's out; `npm run unit` and `.ci/run` do not. */
const LONG = [
  'test/cli/{add-to-templates,replay-project}.test.ts',
  'test/docs/tutorial.test.ts',
  'test/integrations/postgres/{crash,drivers-embedded,isolation-embedded,pgbouncer}.test.ts',
  'test/integrations/postgres/{doctor-documented,doctor-policies,migrate,migrate-processes}.test.ts',
  'test/integrations/redis/redis-cluster.test.ts',
  'test/operating/{large-upload,rolling-restarts-long,workers-restarts-long}.test.ts',
]

/** Journeys that take long, and are about servers rather than decorators: `npm test` runs them in one dialect. */
const LONG_JOURNEYS = [
  'test/journeys/express/apm.test.ts',
  'test/journeys/files/aborted.test.ts',
  'test/journeys/hostile/resets.test.ts',
  'test/journeys/postgres/{isolation,responses,transactional,unauthorised}.test.ts',
  'test/journeys/tenancy/routers.test.ts',
]

function long(...args: Parameters<typeof dialect>) {
  const { test, ...project } = dialect(...args)
  return { ...project, test: { ...test, name: `${args[0]}-long` } } as const
}

function browser() {
  const { test, ...project } = dialect('standard', [BROWSER])
  const globalSetup = source('./test/browser/start-chromium.ts')
  return { ...project, test: { ...test, name: 'browser', globalSetup } }
}

export default defineConfig({
  test: {
    // Much of a test is waiting for a server, a browser or another process. With one worker, a second core would do nothing.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      shared(
        'standard',
        ['test/**/*.test.ts'],
        [LEGACY_ONLY, BROWSER, ...ELSEWHERE, ...ALONE, ...ALONE_JOURNEYS],
      ),
      alone('standard', [...ALONE, ...ALONE_JOURNEYS], [LEGACY_ONLY, ...ELSEWHERE, ...LONG]),
      shared('legacy', JOURNEYS, [...ALONE_JOURNEYS, ...LONG_JOURNEYS]),
      alone(
        'legacy',
        [LEGACY_ONLY, TEMPLATES, ...ALONE_JOURNEYS],
        ['test/{journeys,surface}/**/*.legacy.test.ts', ...ELSEWHERE],
      ),
      long('standard', LONG),
      long('legacy', LONG_JOURNEYS),
      browser(),
    ],
  },
})
