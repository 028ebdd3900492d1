import {
  ApiResponseDoc,
  Auth,
  Body,
  Controller,
  Get,
  Patch,
  Query,
  type Request,
  type Response,
} from 'blazon'
import { type ContractError, TestApp } from 'blazon/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { guard, HR, PAYROLL } from './staff-app.js'

const pay = { visibleTo: PAYROLL }
const Person = z.object({
  id: z.int(),
  salary: z.int().meta(pay),
  home: z.object({ street: z.string().meta({ visibleTo: HR }) }).optional(),
})
const Change = z.object({
  name: z.string().max(5).optional(),
  salary: z.int().min(1000).meta(pay).optional(),
  home: z.object({ street: z.string().meta({ visibleTo: HR }).optional() }).optional(),
})
const ANA = { id: 1, salary: 7, home: { street: 'S' } }

@Auth({ optional: true })
@Controller('people')
class PeopleController {
  @ApiResponseDoc({ status: 200, schema: Person })
  @Get('ana')
  ana() {
    return ANA
  }

  @ApiResponseDoc({ status: 200, schema: z.object({ name: z.string() }) })
  @Query(z.object({ dry: z.string().meta(pay).optional() }))
  @Body(Change)
  @Patch('ana')
  change(req: Request) {
    return { name: String(req.body.name ?? '') }
  }

  @Auth()
  @ApiResponseDoc({ status: 200, schema: Person })
  @Get('own')
  own() {
    return ANA
  }
}

/** A handler that goes around everything that could leave a field out. */
@Auth({ optional: true })
@Controller('leaks')
class LeakController {
  @ApiResponseDoc({ status: 200, schema: Person, raw: true })
  @Get('text')
  text(_req: Request, res: Response) {
    res.type('application/json').end(JSON.stringify(ANA))
  }

  @ApiResponseDoc({ status: 200, schema: z.array(Person), raw: true })
  @Get('pieces')
  pieces(_req: Request, res: Response) {
    res.type('application/json')
    res.write('[')
    res.write(Buffer.from(JSON.stringify({ id: 2, home: { street: 'x' }, salary: 3 })))
    res.end(']')
  }

  @ApiResponseDoc({ status: 200, schema: Person, raw: true })
  @Get('fine')
  fine() {
    return ANA
  }
}

async function start(options: object = {}) {
  const app = await TestApp.create({
    controllers: [PeopleController],
    auth: { guard },
    ...options,
  })
  onTestFinished(() => app.close())
  return app
}

const PRINCIPALS = {
  anonymous: null,
  reader: { id: 1 },
  payroll: { id: 2, permissions: [PAYROLL] },
  both: { id: 3, permissions: [HR], roles: [PAYROLL] },
}

describe('the authMatrix method', () => {
  it('prints a row for each field with `visibleTo`', async () => {
    const app = await start({ contract: 'throw' })
    const matrix = await app.authMatrix(PRINCIPALS)
    expect(`\n${matrix}\n`).toBe(`
                         anonymous  reader   payroll  both
GET /people/ana          allowed    allowed  allowed  allowed
  salary (payroll:read)  hidden     hidden   visible  visible
  home.street (hr:read)  hidden     hidden   hidden   visible
PATCH /people/ana        allowed    allowed  allowed  allowed
  salary (payroll:read)  hidden     hidden   visible  visible
  home.street (hr:read)  hidden     hidden   hidden   visible
  dry (payroll:read)     hidden     hidden   visible  visible
GET /people/own          401        allowed  allowed  allowed
  salary (payroll:read)  401        hidden   visible  visible
  home.street (hr:read)  401        hidden   hidden   visible
`)
    expect(matrix.rows[1]).toEqual({
      operation: 'GET /people/ana',
      handler: 'PeopleController.ana',
      field: 'salary',
      visibleTo: [PAYROLL],
      access: { anonymous: 'hidden', reader: 'hidden', payroll: 'visible', both: 'visible' },
    })
  })

  it('shows no field as visible if auth.can fails', async () => {
    const can = () => Promise.reject(new Error('the service is gone'))
    const app = await start({ auth: { guard, can } })
    const { rows } = await app.authMatrix({ reader: { id: 1 } })
    expect(
      rows.filter(({ field }) => field !== undefined).map(({ access }) => access['reader']),
    ).not.toContain('visible')
  })
})

describe('the contract check', () => {
  it.each([
    ['text', ['salary', 'home.street']],
    ['pieces', ['[0].home.street', '[0].salary']],
  ])('detects hidden fields that the handler has written itself: /%s', async (path, places) => {
    const app = await start({ controllers: [LeakController], contract: 'throw' })
    const failed = await app
      .request()
      .get(`/leaks/${path}`)
      .then(
        () => undefined,
        (error: ContractError) => error,
      )
    expect(failed?.violations).toMatchObject(
      places.map((place) => ({
        kind: 'visibility',
        handler: `LeakController.${path}`,
        path: place,
      })),
    )
    expect(failed?.message).toContain('contains fields that the caller is not allowed to see')
    expect(app.contractReport()).toHaveLength(2)
    const all = app.as({ permissions: [PAYROLL, HR] })
    await all.request().get(`/leaks/${path}`).expect(200)
  })

  it('detects hidden and undocumented fields in the same response', async () => {
    @Controller('more')
    class MoreController {
      @ApiResponseDoc({ status: 200, schema: z.strictObject(Person.shape), raw: true })
      @Get()
      more(_req: Request, res: Response) {
        res.type('application/json').end(JSON.stringify({ id: 1, salary: 7, more: 1 }))
      }
    }
    const app = await start({ controllers: [MoreController], contract: 'throw' })
    const error = await app.fetch('/more').catch((failed: ContractError) => failed)
    expect((error as ContractError).violations).toMatchObject([
      { kind: 'visibility', path: 'salary' },
      { kind: 'body', path: 'more' },
    ])
  })

  it('does not report framework responses, or fields that the caller is allowed to see', async () => {
    const app = await start({ controllers: [LeakController], contract: 'throw' })
    await app.request().get('/leaks/fine').expect(200, { id: 1, home: {} })
    const all = app.as({ permissions: [PAYROLL, HR] })
    await all.request().get('/leaks/text').expect(200, ANA)
    expect(app.contractReport()).toEqual([])
  })
})

describe('the fuzz method', () => {
  it('detects a hidden field in a response', async () => {
    const app = await start({ controllers: [LeakController], contract: 'off' })
    await expect(app.fuzz({ seed: 1, runs: 20 })).rejects.toThrow(
      /visibility \S+: expected to be omitted/,
    )
    await app.fuzz({ seed: 1, runs: 20, as: { permissions: [PAYROLL, HR] } })
  })

  it('sends hidden fields, which are refused', async () => {
    const seen: Record<number, number> = {}
    const counting = (_req: Request, res: Response, next: () => void) => {
      res.once('finish', () => {
        seen[res.statusCode] = (seen[res.statusCode] ?? 0) + 1
      })
      next()
    }
    const app = await start({ middlewares: [counting] })
    const report = await app.fuzz({
      seed: 2,
      runs: 100,
      operations: ({ name }) => name.startsWith('PATCH'),
    })
    expect(report.refused).toEqual([])
    expect(seen[403]).toBeGreaterThan(5)
    expect(seen[200]).toBeGreaterThan(5)
  })

  it('detects a hidden field that is accepted', async () => {
    // The check of what was sent sees nothing, because a middleware renames the field after it.
    @Controller('people')
    class Open {
      @ApiResponseDoc({ status: 200, schema: Person.omit({ id: true }) })
      @Body(Change)
      @Patch('ana')
      change() {
        return { salary: 1 }
      }
    }
    const rename = (req: Request, _res: Response, next: () => void) => {
      Object.defineProperty(req, 'body', { get: () => ({}), set() {}, configurable: true })
      next()
    }
    const app = await start({ controllers: [Open], middlewares: [rename] })
    const allow = { Open_change: ['looser', 'stricter'] } as const
    await expect(app.fuzz({ seed: 1, runs: 60, allow })).rejects.toThrow(
      /expected: 403: the caller is not allowed to send body (salary|home.street)/,
    )
  })
})
