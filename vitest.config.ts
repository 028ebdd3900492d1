import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

// The tests import the package by its name, as its users do.
const alias = [
  { find: /^blazon\/testing$/, replacement: source('./src/testing/index.ts') },
  { find: /^blazon\/redis$/, replacement: source('./src/integrations/redis/index.ts') },
  { find: /^blazon\/postgres$/, replacement: source('./src/integrations/postgres/index.ts') },
  { find: /^blazon\/typeorm$/, replacement: source('./src/integrations/typeorm/index.ts') },
  { find: /^blazon\/vite$/, replacement: source('./src/integrations/vite/index.ts') },
  { find: /^blazon$/, replacement: source('./src/index.ts') },
]

/**
 * They only end what hangs: many tests compile, start programs or fuzz, which takes ten times as long on a busy machine, and none
 * is about speed.
 */
const LIMITS = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
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

const LEGACY_ONLY = 'test/**/*.legacy.test.ts'
/** A package of its own: `npm run test:openapi`. */
const OPENAPI_TOOLS = 'test/openapi-tools/**'
/** A package of its own, too: `npm run test:runners`. */
const RUNNERS = 'test/runners/**'
/** And another one: `npm run test:prisma`. */
const PRISMA = 'test/prisma/**'
/** Likewise: `npm run test:package`. */
const PACKAGE = 'test/package/**'
/** Attacks, at length: `npm run test:hostile`. */
const HOSTILE = 'test/hostile/**'
const BROWSER = 'test/browser/**/*.test.ts'

function browser() {
  const { test, ...project } = dialect('standard', [BROWSER])
  return { ...project, test: { ...test, name: 'browser' } }
}

export default defineConfig({
  test: {
    projects: [
      dialect(
        'standard',
        ['test/**/*.test.ts', 'examples/**/*.test.ts'],
        [LEGACY_ONLY, OPENAPI_TOOLS, RUNNERS, PRISMA, PACKAGE, HOSTILE, BROWSER],
      ),
      dialect('legacy', ['test/journeys/**/*.test.ts', LEGACY_ONLY], [OPENAPI_TOOLS, RUNNERS]),
      browser(),
    ],
  },
})
