import { Auth, Controller, cursor, Get, Paged, page, requireTenantId, Tenant } from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { KEYS } from './notes-app.js'

const Note = z.object({ id: z.int() }).meta({ id: 'ToolNote' })
const ByCursor = cursor(Note, { order: ['id'], max: 5, limit: 2 })
const ByNumber = page(Note, { max: 5, pageSize: 2 })

@Auth()
@Tenant()
@Controller('notes')
class Notes {
  @Get('cursor') @Paged(ByCursor) byCursor({ page }: Paged<typeof ByCursor>) {
    const { after, take } = page
    return page.of(
      notesOf(requireTenantId())
        .filter(({ id }) => id > Number(after?.id ?? 0))
        .slice(0, take),
    )
  }

  @Get('number') @Paged(ByNumber) byNumber({ page }: Paged<typeof ByNumber>) {
    const { offset, take } = page
    const notes = notesOf(requireTenantId())
    return page.of(notes.slice(offset, offset + take), notes.length)
  }
}

const notesOf = (tenant: string) =>
  Array.from({ length: 7 }, (_, id) => ({ id: id + tenant.length }))

const start = () =>
  TestApp.create({
    controllers: [Notes],
    cookies: { keys: KEYS },
    contract: 'throw',
    auth: { guard: { canActivate: (req) => req.get('authorization') === 'Bearer t' } },
    tenant: { authorize: () => true },
  })

it('the access matrix includes routes with pages', async () => {
  await using app = await start()
  const user = app.with({ authorization: 'Bearer t', 'x-tenant-id': 'a' })
  const { rows } = await app.authMatrix({ user })
  expect(rows.map(({ operation, access }) => [operation, access['user']])).toEqual([
    ['GET /notes/cursor', 'allowed'],
    ['GET /notes/number', 'allowed'],
  ])
})

it('fuzz() and proveIsolation() call routes with pages', async () => {
  await using app = await start()
  const headers = { authorization: 'Bearer t', 'x-tenant-id': 'a' }
  const { operations } = await app.fuzz({ seed: 1, runs: 40, headers })
  expect(operations).toBe(2)
  const report = await app.proveIsolation({
    seed: 1,
    tenants: { a: app.withAuth('t').asTenant('a'), bb: app.withAuth('t').asTenant('bb') },
  })
  expect(report.leaks).toEqual([])
})

it('a cursor is refused with 400 if another tenant sends it, or if it is changed', async () => {
  await using app = await start()
  const get = (tenant: string, next?: string) =>
    app
      .with({ authorization: 'Bearer t', 'x-tenant-id': tenant })
      .request()
      .get(`/notes/cursor${next === undefined ? '' : `?cursor=${next}`}`)
  const { body } = await get('a').expect(200)
  await get('a', body.data.next).expect(200)
  for (const response of [await get('bb', body.data.next), await get('a', `${body.data.next}A`)])
    expect([response.status, response.body.code]).toEqual([400, 'CURSOR_INVALID'])
})
