import {
  ApiBody,
  Body,
  Controller,
  Get,
  HttpCode,
  Params,
  Post,
  Query,
  type Request,
  type Response,
  requireTenantId,
  Tenant,
} from 'blazon'
import { type IsolationOptions, TestApp, type TestOptions } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Note, Notes } from './notes.js'

const tenants = ['acme', 'globex']
const Upload = { type: 'object', properties: { file: { type: 'string', format: 'binary' } } }

/** The verdict and the evidence for each operation, by its handler. */
async function rowsOf(
  controller: new () => object,
  how: IsolationOptions = {},
  options: TestOptions = {},
) {
  await using app = await TestApp.create({ controllers: [controller], tenant: {}, ...options })
  const report = await app.proveIsolation({ tenants, seed: 1, rounds: 1, ...how })
  expect(report.leaks).toEqual([])
  return Object.fromEntries(
    report.verdicts.map(({ operationId, verdict, evidence }) => [
      operationId.replace(/^.*_/, ''),
      `${verdict}: ${evidence}`,
    ]),
  )
}

describe('the verdict on an operation', () => {
  it('is INCONCLUSIVE if the responses contain no tenant data or the operation never succeeds', async () => {
    @Controller('plain')
    class PlainController {
      @Get('same')
      same() {
        return { ok: true }
      }

      @Get('empty')
      empty() {}

      @Get('broken')
      broken() {
        throw new TypeError('Never mind')
      }

      @Get('stream')
      stream(_req: Request, res: Response) {
        res.type('text/event-stream').write('data: one\n\n')
      }

      @Get('half')
      half(req: Request) {
        return req.get('x-tenant-id') === 'acme' ? { tenant: 'acme' } : {}
      }
    }
    expect(await rowsOf(PlainController, {}, { logger: false })).toEqual({
      same: 'INCONCLUSIVE: no tenant saw its own data',
      empty: 'INCONCLUSIVE: no tenant saw its own data',
      broken: 'INCONCLUSIVE: no tenant got a 2xx response: 500',
      stream:
        'INCONCLUSIVE: a stream: only its beginning was read, and this part contained no data of a tenant',
      half: 'INCONCLUSIVE: globex never saw its own data',
    })
  })

  it('is INCONCLUSIVE if the operation is skipped or no request for it can be generated', async () => {
    @Controller('odd')
    class OddController {
      @Get('mine')
      mine() {}

      @Get('other')
      other() {}

      @Get('open/door')
      open() {}

      @Post('form')
      @ApiBody({ schema: Upload })
      form() {}

      @Get(':name')
      @Params(z.object({ name: z.enum(['mine', 'other']) }))
      shadowed() {}

      @Post('never')
      @Body(z.object({ text: z.string().min(5).max(2) }))
      never() {}
    }
    const how: IsolationOptions = {
      skip: ['Odd_mine'],
      operations: ({ operationId }) => operationId !== 'Odd_other',
    }
    expect(await rowsOf(OddController, how)).toEqual({
      mine: 'INCONCLUSIVE: skipped',
      other: 'INCONCLUSIVE: skipped',
      open: 'INCONCLUSIVE: no tenant saw its own data',
      form: 'INCONCLUSIVE: accepts a form',
      shadowed: 'INCONCLUSIVE: no tenant got a 2xx response: no request was sent',
      never:
        'INCONCLUSIVE: no value was found that its schema accepts: body.text; set a value for the field with the option texts',
    })
  })
})

describe('a passing operation', () => {
  it('can respond with the name of the tenant’s user', async () => {
    @Controller('me')
    class MeController {
      @Get()
      me(req: Request) {
        return { name: req.user?.name ?? 'nobody' }
      }
    }
    const guard = { canActivate: () => true }
    const options: TestOptions = { auth: { guard, default: 'protected' } }
    expect(await rowsOf(MeController, { as: (_, name) => ({ name }) }, options)).toEqual({
      me: 'PASS: each tenant saw its own data',
    })
  })

  it('can respond with the id of the tenant', async () => {
    @Tenant()
    @Controller('tenants')
    class TenantsController {
      @Get('mine')
      mine() {
        return { tenant: requireTenantId() }
      }
    }
    expect(await rowsOf(TenantsController)).toEqual({
      mine: 'PASS: each tenant saw the data it had just sent',
    })
  })

  it('can respond with words that are similar to the id of another tenant', async () => {
    @Tenant()
    @Controller('tenants')
    class TenantsController {
      @Get('mine')
      mine() {
        return { tenant: requireTenantId(), similar: 'acme-eu acme_eu acmeXeu acme.eu2 2acme.eu' }
      }
    }
    expect(await rowsOf(TenantsController, { tenants: ['acme.eu', 'globex'] })).toEqual({
      mine: 'PASS: each tenant saw the data it had just sent',
    })
  })

  it('can restrict its input if its responses still contain data of the tenant', async () => {
    const notes = new Notes()

    @Tenant()
    @Controller('notes')
    class NotesController {
      @Post()
      @HttpCode(201)
      @Body(
        z.object({
          text: z.string(),
          code: z.string().refine((text) => !/^[0-9a-f]{16}/.test(text), 'Not a code'),
        }),
      )
      add(req: Request) {
        return notes.add(requireTenantId(), req.body.text)
      }

      @Get()
      @Query(
        z.object({
          like: z.string().refine((text) => !/^[0-9a-f]{16}/.test(text), 'Not a pattern'),
        }),
      )
      async list() {
        return { tenant: requireTenantId(), notes: await notes.of(requireTenantId()) }
      }

      @Post('short')
      @Body(z.object({ text: z.string().min(2).max(20) }))
      short(req: Request) {
        return notes.add(requireTenantId(), req.body.text)
      }

      @Post('tiny')
      @Body(z.object({ text: z.string().max(5) }))
      tiny(req: Request) {
        return notes.add(requireTenantId(), req.body.text)
      }
    }
    expect(await rowsOf(NotesController)).toEqual({
      add: 'INCONCLUSIVE: no tenant saw its own data; the application refuses random texts (code: Not a code); set a value for the field with the option texts',
      list: 'PASS: each tenant saw its own data',
      short: 'PASS: each tenant saw the data it had just sent',
      tiny: 'INCONCLUSIVE: no tenant saw its own data; no random text fits text (at most 5 characters); set a value for the field with the option texts',
    })
  })
})

it('proveIsolation() finds data at the beginning of a stream that does not end', async () => {
  const notes = new Notes()

  @Tenant()
  @Controller('feed')
  class FeedController {
    @Post()
    @Body(Note)
    add(req: Request) {
      return notes.add(requireTenantId(), req.body.text)
    }

    @Get()
    stream(_req: Request, res: Response) {
      const all = notes.ofAllOwners()
      res.type('text/event-stream').write(all.map(({ text }) => `data: ${text}\n\n`).join(''))
    }
  }
  await using app = await TestApp.create({ controllers: [FeedController], tenant: {} })
  const { leaks } = await app.proveIsolation({ tenants, seed: 1, rounds: 1 })
  expect(leaks.map(({ operation, where }) => `${operation} ${where}`)).toContain('GET /feed body')
})

it('proveIsolation() fails if no operation is left to call', async () => {
  @Controller('one')
  class OneController {
    @Get()
    one() {}
  }
  await using app = await TestApp.create({ controllers: [OneController] })
  await expect(app.proveIsolation({ skip: ['One_one'] })).rejects.toThrow(
    'proveIsolation() sent no requests: skip or operations exclude all operations',
  )
  await using empty = await TestApp.create({})
  await expect(empty.proveIsolation()).rejects.toThrow(
    'proveIsolation() sent no requests: the documents of this application have no operations.',
  )
})
