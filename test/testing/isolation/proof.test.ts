import {
  Body,
  Controller,
  Delete,
  HttpCode,
  NotFoundError,
  Params,
  Post,
  type Request,
  requireTenantId,
  Tenant,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { idOf, Note, Notes } from './notes.js'

const tenants = ['acme', 'globex']
const ById = z.object({ id: z.coerce.number().int() })

/** The verdict about a DELETE operation that calls `remove` with ids of its own tenant and of the other. */
async function verdictOf(remove: (notes: Notes, owner: string, id: number) => Promise<void>) {
  const notes = new Notes()

  @Tenant()
  @Controller('notes')
  class NotesController {
    @Post()
    @HttpCode(201)
    @Body(Note)
    add(req: Request) {
      return notes.add(requireTenantId(), req.body.text)
    }

    @Delete(':id')
    @Params(ById)
    async remove(req: Request) {
      await remove(notes, requireTenantId(), idOf(req))
    }
  }
  await using app = await TestApp.create({ controllers: [NotesController], tenant: {} })
  const { verdicts, leaks } = await app.proveIsolation({ tenants, seed: 1, rounds: 1 })
  expect(leaks).toEqual([])
  const row = verdicts.find(({ operationId }) => operationId === 'Notes_remove')
  return `${row?.verdict}: ${row?.evidence}`
}

describe('an operation without tenant data in its responses', () => {
  it("passes if it accepts a tenant's own ids and refuses ids of other tenants", async () => {
    const verdict = await verdictOf(async (notes, owner, id) => {
      if (!(await notes.remove(owner, id))) throw new NotFoundError('No such note')
    })
    expect(verdict).toBe(
      'PASS: own IDs are accepted, and IDs of other tenants get the same status as unknown IDs',
    )
  })

  it('does not pass if it also accepts ids of other tenants', async () => {
    const verdict = await verdictOf(
      async (notes, owner, id) => void (await notes.remove(owner, id)),
    )
    expect(verdict).toBe('INCONCLUSIVE: no tenant saw its own data')
  })

  it("does not pass if it also refuses a tenant's own ids", async () => {
    const verdict = await verdictOf(() => Promise.reject(new NotFoundError('No such note')))
    expect(verdict).toBe('INCONCLUSIVE: no tenant got a 2xx response: 404')
  })
})
