import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

// The tests import the package by its name, as its users do.
const alias = [
  { find: /^blazon\/testing$/, replacement: source('./src/testing/index.ts') },
  { find: /^blazon$/, replacement: source('./src/index.ts') },
]

/** One dialect of decorators: the same files are compiled both ways. */
function dialect(name: 'standard' | 'legacy', include: string[], exclude: string[] = []) {
  const compilerOptions = { experimentalDecorators: name === 'legacy', target: 'es2022' }
  return {
    resolve: { alias },
    esbuild: { target: 'es2022', tsconfigRaw: { compilerOptions } },
    test: { name, include, exclude, env: { BLAZON_DIALECT: name } },
  } as const
}

const LEGACY_ONLY = 'test/**/*.legacy.test.ts'

export default defineConfig({
  test: {
    projects: [
      dialect('standard', ['test/**/*.test.ts', 'examples/**/*.test.ts'], [LEGACY_ONLY]),
      dialect('legacy', ['test/journeys/**/*.test.ts', LEGACY_ONLY]),
    ],
  },
})
