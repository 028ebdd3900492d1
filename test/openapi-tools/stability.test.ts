import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { DOCUMENTS } from './apps/apps.js'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The texts of all documents, from a process of its own. */
async function print(config: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', here('apps/print-documents.ts')],
    {
      cwd: here('.'),
      env: { ...process.env, TSX_TSCONFIG_PATH: here(config), NODE_OPTIONS: '' },
      maxBuffer: 64 * 1024 * 1024,
    },
  )
  return JSON.parse(stdout)
}

describe('documents from two processes', () => {
  let standard: string[]
  let legacy: string[]

  beforeAll(async () => {
    const both = [print('tsconfig.json'), print('tsconfig.legacy.json')] as const
    ;[standard, legacy] = await Promise.all(both)
  })

  it.each(DOCUMENTS.map(({ name }, index) => ({ name, index })))(
    'have the same bytes in both decorator dialects: $name',
    ({ index }) => {
      expect(standard[index]?.length).toBeGreaterThan(1000)
      expect(legacy[index]).toBe(standard[index])
    },
  )
})
