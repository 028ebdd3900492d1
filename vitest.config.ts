import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { type Plugin, transformWithEsbuild } from 'vite'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

// The tests import the package by its name, as its users do.
const alias = [
  { find: /^blazon\/testing$/, replacement: source('./src/testing/index.ts') },
  { find: /^blazon\/plugin$/, replacement: source('./src/plugin/index.ts') },
  { find: /^blazon\/jwt$/, replacement: source('./src/integrations/jwt/index.ts') },
  { find: /^blazon\/redis$/, replacement: source('./src/integrations/redis/index.ts') },
  { find: /^blazon\/sessions$/, replacement: source('./src/integrations/sessions/index.ts') },
  { find: /^blazon\/otel$/, replacement: source('./src/integrations/otel/index.ts') },
  { find: /^blazon\/postgres$/, replacement: source('./src/integrations/postgres/index.ts') },
  { find: /^blazon\/jobs$/, replacement: source('./src/integrations/jobs/index.ts') },
  { find: /^blazon\/keys$/, replacement: source('./src/integrations/api-keys/index.ts') },
  { find: /^blazon\/typeorm$/, replacement: source('./src/integrations/typeorm/index.ts') },
  { find: /^blazon\/vite$/, replacement: source('./src/integrations/vite/index.ts') },
  { find: /^blazon$/, replacement: source('./src/index.ts') },
]

/** What only the legacy dialect has: decorators of parameters and fields, and the types that its compiler emits. */
const LEGACY_ONLY = /\.legacy\.(?:long\.)?test\.ts$/

/**
 * Compiles with `experimentalDecorators`, in every project: the tests of {@link LEGACY_ONLY}, and a module whose path ends with `?legacy`
 * with the modules of tests that it imports. So one test can compare both dialects.
 */
function legacyTwins(dialect: string): Plugin {
  return {
    // The cache of compiled modules knows the dialect only by this name.
    name: `twins-of-${dialect}`,
    enforce: 'pre',
    async resolveId(id, importer) {
      const [, path] = /^(\..*)$/.exec(id) ?? []
      if (path === undefined || !importer?.endsWith('?legacy')) return null
      const found = await this.resolve(path, importer.replace('?legacy', ''), { skipSelf: true })
      const isOfTests = found?.id.startsWith(source('./test/'))
      return isOfTests ? `${found?.id}?legacy` : found
    },
    async load(id) {
      if (!id.endsWith('?legacy') && !LEGACY_ONLY.test(id)) return null
      const file = id.replace('?legacy', '')
      const tsconfigRaw = { compilerOptions: { experimentalDecorators: true, target: 'es2022' } }
      return await transformWithEsbuild(readFileSync(file, 'utf8'), file, {
        target: 'es2022',
        tsconfigRaw,
      })
    },
  }
}

/**
 * They only end what hangs: many tests compile, start programs or fuzz, which takes ten times as long on a busy machine, and none
 * is about speed. `TEST_TIMEOUT` (milliseconds) is for planted defects, which make tests hang.
 */
const LIMIT_MS = Number(process.env['TEST_TIMEOUT'] ?? 180_000)
const LIMITS = {
  testTimeout: LIMIT_MS,
  hookTimeout: LIMIT_MS,
  expect: { poll: { timeout: Math.min(30_000, LIMIT_MS) } },
} as const

/** Takes back what a file has replaced in its process, and ends what the file has started. */
const RESTORE = source('./test/restore.ts')

/** Saves examples and templates the seconds of `initdb`. */
const OF_PROJECTS = source('./test/setup-projects.ts')

/** The configuration of a project. Its files are compiled with one dialect of decorators; default: the standard one. */
export function project(
  name: string,
  {
    dialect = 'standard',
    include,
    exclude = [],
  }: { dialect?: 'standard' | 'legacy'; include: string[]; exclude?: string[] },
) {
  const compilerOptions = { experimentalDecorators: dialect === 'legacy', target: 'es2022' }
  return {
    plugins: [legacyTwins(dialect)],
    resolve: { alias },
    esbuild: { target: 'es2022', tsconfigRaw: { compilerOptions } },
    test: {
      name,
      include,
      exclude,
      setupFiles: RESTORE,
      runner: source('./test/runner.ts'),
      env: { BLAZON_DIALECT: dialect },
      ...LIMITS,
    },
  }
}

/** The same, for files that share a process: each uses the modules that an earlier file has loaded. */
function shared(name: string, options: Parameters<typeof project>[1]) {
  const { test, ...rest } = project(name, options)
  return { ...rest, test: { ...test, isolate: false } }
}

const JOURNEYS = ['test/journeys/**/*.test.ts', 'test/surface/**/*.test.ts']
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
  // Only together with the template `saas`: test/cli/template-jobs.long.test.ts.
  'templates/saas-jobs/**',
  '**/node_modules/**',
]

/**
 * Files that need a process of their own: they mock a module, look at all that is open, running or listened to in their process, start
 * processes and servers, or use helpers that end after one file what they started.
 */
export const ALONE = [
  'test/app/system-clock.test.ts',
  'test/cli/loaded-modules.test.ts',
  'test/features/cache/unused.test.ts',
  'test/features/outgoing-public.test.ts',
  'test/features/unused-{outgoing,pages,records,representations,versions,visibility,writes}.test.ts',
  'test/integrations/jobs/unused.test.ts',
  'test/journeys/app/test-app.test.ts',
  'test/journeys/cache/manager.test.ts',
  'test/journeys/outgoing/capsule.test.ts',
  'test/journeys/testing/{open-capsule,rejections}.test.ts',
  'test/schema/libraries/installed.test.ts',
]

/**
 * Tests that take long: they start many processes, break servers or repeat much. They share processes, because each would load the
 * package again, except for those of {@link LONG_ALONE}. `npm test` leaves them and the browser's out; `.ci/run` does not.
 */
const LONG = ['test/**/*.long.test.ts']

/** The tests of the projects that `blazon new` makes, before they are projects. */
const TEMPLATES = 'templates/**/*.test.ts'

/**
 * Long tests that need a process of their own: they mock a module, load modules again, or register a tracer for the whole process.
 */
export const LONG_ALONE = [
  'test/app/explained-steps.long.test.ts',
  'test/integrations/jobs/working.long.test.ts',
  'test/integrations/postgres/drivers-embedded.long.test.ts',
  'test/integrations/typeorm/start.long.test.ts',
  'test/journeys/express/apm.long.test.ts',
  'test/journeys/otel/{counts,processes}.long.test.ts',
]

/**
 * What depends on the dialect beside the journeys: `@Transactional()`, which is not in `src/metadata/`, and templates. test/scaffold
 * runs the tests of the template `saas` in both dialects.
 */
const OF_LEGACY = [
  'test/integrations/postgres/embedded-app.test.ts',
  'templates/{add,minimal,service}/**/*.test.ts',
]

/** Adds what the tests of examples and templates need to a project. */
function withProjects({ test, ...rest }: ReturnType<typeof project>) {
  return { ...rest, test: { ...test, setupFiles: [RESTORE, OF_PROJECTS] } }
}

const APART = [BROWSER, ...ELSEWHERE]

function browser() {
  const { test, ...rest } = project('browser', { include: [BROWSER] })
  const globalSetup = source('./test/browser/start-chromium.ts')
  return { ...rest, test: { ...test, globalSetup } }
}

export default defineConfig({
  test: {
    // Compiled modules are kept between runs, and projects share them.
    experimental: { fsModuleCache: true, fsModuleCachePath: source('./.cache/vitest') },
    // Much of a test is waiting for a server, a browser or another process. With one worker, a second core would do nothing.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      shared('standard', {
        include: ['test/**/*.test.ts'],
        exclude: [...APART, ...ALONE, ...LONG],
      }),
      project('alone', { include: ALONE, exclude: [...APART, ...LONG] }),
      withProjects(
        project('long-alone', {
          include: [...LONG_ALONE, 'examples/**/*.test.ts'],
          exclude: APART,
        }),
      ),
      withProjects(
        shared('long', {
          include: [...LONG, TEMPLATES],
          exclude: [...APART, ...LONG_ALONE],
        }),
      ),
      shared('legacy', {
        dialect: 'legacy',
        include: [...JOURNEYS, ...OF_LEGACY],
        exclude: ['**/*.legacy.test.ts', ...ALONE, ...LONG],
      }),
      browser(),
    ],
  },
})
