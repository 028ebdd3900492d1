import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ApiResponseDoc, App, Controller, Get, HttpCode, Post } from 'blazon'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { emitClient } from '../../src/cli/client/emit-client.js'
import { root } from '../root.js'
import { type AnyClient, importClient } from './import-client.js'

const User = z.object({ id: z.int(), name: z.string(), team: z.object({ name: z.string() }) })
const ROW = { id: 1, name: 'Ada', passwordHash: 'secret', team: { name: 'A', budget: 1 } }
const STRIPPED = { id: 1, name: 'Ada', team: { name: 'A' } }

@Controller('users')
class UsersController {
  @Get()
  @ApiResponseDoc({ status: 200, schema: z.array(User) })
  list() {
    return [ROW, ROW]
  }

  @Post()
  @HttpCode(201)
  @ApiResponseDoc({ status: 201, schema: User })
  create() {
    return ROW
  }
}

const app = new App({ controllers: [UsersController], responses: 'strip', logger: false })
const folder = join(root, '.cache', 'stripped-client')
let client: AnyClient
let text: string

beforeAll(async () => {
  const { port } = await app.listen(0, '127.0.0.1')
  text = emitClient(app.document)
  const { createClient } = await importClient('stripped', text)
  client = createClient({ baseUrl: `http://127.0.0.1:${port}` })
})
afterAll(async () => {
  await app.close()
  rmSync(folder, { recursive: true, force: true })
})

it("the client receives only the fields of the schema with responses: 'strip'", async () => {
  for (let n = 0; n < 2; n++) {
    const listed = await client['users']?.['list']?.()
    expect(listed).toMatchObject({ ok: true, status: 200 })
    expect(listed.data).toEqual([STRIPPED, STRIPPED])
    const created = await client['users']?.['create']?.()
    expect(created).toMatchObject({ ok: true, data: STRIPPED })
    expect(created.data).toEqual(STRIPPED)
  }
})

it('the client has types that match the stripped data', () => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'client.ts'), text)
  writeFileSync(
    join(folder, 'use.ts'),
    `import { createClient } from './client.js'
    type Stripped = { id: number; name: string; team: { name: string } }
    type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
    type Flat<T> = T extends object ? { [K in keyof T]: Flat<T[K]> } : T
    const client = createClient({ baseUrl: '' })
    const listed = await client.users.list()
    if (listed.ok) {
      const isEqual: Equal<Flat<typeof listed.data>, Stripped[]> = true
      console.log(isEqual)
      // @ts-expect-error The field never leaves the application.
      console.log(listed.data[0]?.passwordHash)
    }
    const created = await client.users.create()
    if (created.ok) {
      const isEqual: Equal<Flat<typeof created.data>, Stripped> = true
      console.log(isEqual)
    }
    export {}`,
  )
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const options = ['--strict', '--noEmit', '--target', 'es2022', '--module', 'nodenext']
  const { stdout } = spawnSync(
    process.execPath,
    [tsc, ...options, '--ignoreConfig', '--skipLibCheck', '--types', 'node', 'use.ts'],
    { cwd: folder, encoding: 'utf8' },
  )
  expect(stdout).toBe('')
})
