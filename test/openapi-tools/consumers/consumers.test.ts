import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { APPS, DOCUMENTS, inVersion } from '../apps/apps.js'
import { documentOf } from '../apps/document-of.js'
import { withServer } from '../traffic/with-server.js'
import { GENERATED, GENERATORS, generateClients } from './generate.js'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The errors of a compiler in all generated code, and in the code that uses it. */
function compile(compiler: string): string {
  const args = [here(compiler), '--strict', '-p', here('../clients')]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return stdout + stderr
}

beforeAll(async () => {
  rmSync(GENERATED, { recursive: true, force: true })
  for (const { name, options, index } of DOCUMENTS)
    await generateClients(name, documentOf(options, index))
  for (const { name, options, index } of LATER)
    await generateClients(name, documentOf(options, index))
})

/** The documents of whole applications, each in one of the later versions of OpenAPI. */
const LATER = DOCUMENTS.filter(({ name }) => name !== 'corpus').map((each, at) => {
  const version = at % 2 === 0 ? '3.1' : '3.2'
  return { ...each, name: `${each.name}-${version}`, options: inVersion(each.options, version) }
})

describe('generated clients', () => {
  it('compile in strict mode with TypeScript 5', () => {
    expect(compile('../node_modules/typescript/bin/tsc')).toBe('')
  })

  it('compile in strict mode with TypeScript 7', () => {
    expect(compile('../../../node_modules/typescript/bin/tsc')).toBe('')
  })

  const clients = APPS.flatMap(({ name, options }) =>
    Object.keys(GENERATORS).map((generator) => ({ name, options, generator })),
  )

  it.each(clients)(
    'send requests to $name and read the responses: $generator',
    async ({ name, options, generator }) => {
      const { drive } = await import(`../clients/${name}.${generator}.ts`)
      await withServer(options, drive)
    },
  )
})
