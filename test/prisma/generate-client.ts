import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

// Writes Prisma's client without a download. Prisma would download an engine for migrations, which no test runs.
const env = {
  ...process.env,
  PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
  CHECKPOINT_DISABLE: '1',
}
const prisma = createRequire(import.meta.url).resolve('prisma/build/index.js')
const args = [prisma, 'generate', '--schema', 'schema.prisma', '--no-hints']
const cwd = fileURLToPath(new URL('.', import.meta.url))
execFileSync(process.execPath, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] })
