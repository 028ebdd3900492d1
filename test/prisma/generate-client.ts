import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))

/** Writes the client. Nothing is downloaded for it: the engine that Prisma would fetch migrates databases, which is not asked of it. */
export function setup(): void {
  const prisma = createRequire(import.meta.url).resolve('prisma/build/index.js')
  const env = {
    ...process.env,
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    CHECKPOINT_DISABLE: '1',
  }
  const args = [prisma, 'generate', '--schema', 'schema.prisma', '--no-hints']
  execFileSync(process.execPath, args, { cwd: here, env, stdio: 'pipe' })
}
