import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url))

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  resolve: {
    alias: [
      { find: /^blazon\/testing$/, replacement: source('testing/index.ts') },
      { find: /^blazon\/plugin$/, replacement: source('plugin/index.ts') },
      { find: /^blazon\/jwt$/, replacement: source('integrations/jwt/index.ts') },
      { find: /^blazon\/postgres$/, replacement: source('integrations/postgres/index.ts') },
      { find: /^blazon\/redis$/, replacement: source('integrations/redis/index.ts') },
      { find: /^blazon$/, replacement: source('index.ts') },
    ],
  },
  esbuild: {
    target: 'es2022',
    tsconfigRaw: { compilerOptions: { experimentalDecorators: false, target: 'es2022' } },
  },
  test: {
    name: 'openapi-tools',
    include: ['**/*.test.ts'],
    setupFiles: ['./refuse-foreign-connections.ts'],
    // Generators and compilers are slow on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
