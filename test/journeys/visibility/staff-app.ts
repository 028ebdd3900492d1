import { Readable } from 'node:stream'
import {
  ApiResponseDoc,
  Auth,
  BaseController,
  Body,
  Controller,
  csv,
  cursor,
  Envelope,
  Get,
  JsonLines,
  Paged,
  Patch,
  Post,
  Produces,
  page,
  Query,
  type Request,
  type Response,
  ResponseFields,
  Sse,
} from 'blazon'
import { TestApp, type TestOptions } from 'blazon/testing'
import { z } from 'zod'

/** Every hidden value of the tests contains it. */
export const SECRET = 'canary'

const pay = { visibleTo: 'payroll:read' }
const both = { visibleTo: ['payroll:read', 'hr:read'] }

const Bank = z.object({ iban: z.string(), bic: z.string().optional() })

export const Person = z.object({
  id: z.int(),
  name: z.string(),
  salary: z.string().meta(pay),
  bonus: z.string().meta(pay).nullable(),
  review: z.string().meta(both).optional(),
  bank: Bank.meta(pay).optional(),
  home: z
    .object({ city: z.string(), street: z.string().meta({ visibleTo: 'hr:read' }) })
    .optional(),
  get reports(): z.ZodOptional<z.ZodArray<typeof Person>> {
    return z.array(Person).optional()
  },
})
z.globalRegistry.add(Person, { id: 'Person' })
export type Person = z.infer<typeof Person>

export const ANA: Person = {
  id: 1,
  name: 'Ana',
  salary: `${SECRET} salary`,
  bonus: null,
  review: `${SECRET} review`,
  bank: { iban: `${SECRET} iban` },
  home: { city: 'Graz', street: `${SECRET} street` },
  reports: [{ id: 2, name: 'Bo', salary: `${SECRET} of Bo`, bonus: `${SECRET} bonus` }],
}

/** What callers without an ability see of Ana. */
export const PLAIN = {
  id: 1,
  name: 'Ana',
  home: { city: 'Graz' },
  reports: [{ id: 2, name: 'Bo' }],
}

const Event = z.union([
  z.object({ kind: z.literal('hired'), name: z.string() }),
  z.object({ kind: z.literal('paid'), amount: z.string() }).meta(pay),
  z.object({ kind: z.literal('moved'), amount: z.string(), note: z.string().meta(pay) }),
])
export const EVENTS = [
  { kind: 'hired', name: 'Ana' },
  { kind: 'paid', amount: `${SECRET} amount` },
  { kind: 'moved', amount: 'one floor', note: `${SECRET} note` },
]

const Change = z.object({
  name: z.string().optional(),
  salary: z.number().meta(pay).optional(),
  home: z.object({ street: z.string().meta({ visibleTo: 'hr:read' }).optional() }).optional(),
  events: z
    .array(
      z.union([
        z.object({ kind: z.literal('a'), salary: z.number().meta(pay).optional() }),
        z.object({ kind: z.literal('b'), salary: z.number().optional() }),
      ]),
    )
    .optional(),
  extra: z.record(z.string(), z.number().meta(pay)).optional(),
})

async function* people() {
  yield ANA
}

const Taken = z.object({ taken: z.string() })

const Staff = page(Person, { max: 10 })
const Walk = cursor(Person, { order: ['id'], max: 10 })

@Auth({ optional: true })
@Controller('staff')
export class StaffController extends BaseController {
  @ApiResponseDoc({ status: 200, schema: Person })
  @Get('ana')
  ana() {
    return ANA
  }

  @ApiResponseDoc({ status: 200, schema: Person })
  @Get('ok')
  okay(_req: Request, res: Response) {
    return this.ok(res, 'Ana', ANA)
  }

  @ApiResponseDoc({ status: 200, schema: Person })
  @Get('json')
  json(_req: Request, res: Response) {
    res.json({ data: ANA, also: { salary: SECRET } })
  }

  @ApiResponseDoc({ status: 200, schema: Person })
  @Get('send')
  send(_req: Request, res: Response) {
    res.send(ANA)
  }

  @ApiResponseDoc({ status: 200, schema: Person, raw: true })
  @Get('raw')
  raw() {
    return ANA
  }

  @ApiResponseDoc({ status: 200, schema: Person })
  @Get('other-status')
  otherStatus(_req: Request, res: Response) {
    res.status(409).json({ person: [ANA] })
  }

  @ApiResponseDoc({
    status: 200,
    schema: z.object({ id: z.int(), salary: z.string().meta(pay), rest: z.any() }),
  })
  @Get('unnamed')
  unnamed() {
    return { id: 1, salary: SECRET, rest: { salary: SECRET, a: [{ salary: SECRET }] }, salary2: 1 }
  }

  @ApiResponseDoc({ status: 200, schema: z.array(Event) })
  @Get('events')
  events() {
    return EVENTS
  }

  @ApiResponseDoc({ status: 200, schema: z.record(z.string(), z.string().meta(pay)) })
  @Get('record')
  record() {
    return { a: SECRET, constructor: SECRET }
  }

  @ApiResponseDoc({ status: 200, schema: Person })
  @Get('bytes')
  bytes() {
    return Buffer.from(JSON.stringify(ANA))
  }

  @ApiResponseDoc({ status: 200, schema: Person })
  @Get('stream')
  stream() {
    return Readable.from([JSON.stringify(ANA)])
  }

  @ApiResponseDoc({ status: 200, schema: Person })
  @Get('fetched')
  fetched() {
    return globalThis.Response.json(ANA)
  }

  @ApiResponseDoc({ status: 200, schema: Person })
  @Get('class')
  instance() {
    class Row {
      readonly id = 1
      readonly name = 'Ana'
      readonly bonus = null
      // The second read shows something else.
      reads = 0
      toJSON() {
        return { id: this.id, name: this.name, salary: SECRET, bonus: null }
      }
    }
    return new Row()
  }

  @ApiResponseDoc({ status: 200, schema: z.array(Person) })
  @Produces('application/json', csv({ columns: ['id', 'salary'] }))
  @Get('table')
  table() {
    return [ANA]
  }

  @ApiResponseDoc({ status: 200, schema: z.array(Person) })
  @Produces('text/csv')
  @Get('rows')
  rows() {
    return people()
  }

  @Get('pages')
  @Paged(Staff)
  pages({ page }: Paged<typeof Staff>) {
    return page.of([ANA], 1)
  }

  @Get('walk')
  @Paged(Walk)
  walk({ page }: Paged<typeof Walk>) {
    return page.of([ANA])
  }

  @Get('feed')
  @Sse(Person)
  @JsonLines(Person)
  async *feed() {
    yield ANA
    yield { ...ANA, id: 3 }
  }

  @ApiResponseDoc({ status: 200, schema: Person })
  @ResponseFields('strip')
  @Get('stripped')
  stripped() {
    return { ...ANA, shoe: 43 }
  }

  @ApiResponseDoc({ status: 200, schema: Person })
  @ResponseFields('check')
  @Get('checked')
  checked() {
    return ANA
  }

  @Envelope({
    success: (data, { message }) => ({ ok: true, message, payload: data }),
    schema: (data) => ({ type: 'object', properties: { ok: {}, message: {}, payload: data } }),
  })
  @ApiResponseDoc({ status: 200, schema: Person })
  @Get('own-envelope')
  ownEnvelope() {
    return ANA
  }

  @ApiResponseDoc({ status: 200, schema: Taken })
  @Body(Change)
  @Patch('ana')
  change(req: Request) {
    return { taken: JSON.stringify(req.body) }
  }

  @ApiResponseDoc({ status: 200, schema: Taken })
  @Query(z.object({ q: z.string().optional(), minSalary: z.string().meta(pay).optional() }))
  @Get('search')
  search(req: Request) {
    return { taken: JSON.stringify(req.query) }
  }

  @ApiResponseDoc({ status: 200, schema: Taken })
  @Body(Change, { type: 'json' })
  @Body(z.object({ salary: z.string().optional() }), { type: 'form' })
  @Post('forms')
  forms(req: Request) {
    return { taken: JSON.stringify(req.body) }
  }

  @ApiResponseDoc({ status: 200, schema: Person })
  @Get('failing')
  failing(_req: Request, _res: Response): never {
    throw Object.assign(new Error(`secret of ${ANA.salary}`), { person: ANA })
  }
}

/** The user of a bearer token: `payroll:read+hr:read` holds both abilities, `none` has no ability. */
export const guard = {
  canActivate(req: Request) {
    const [, token] = (req.get('authorization') ?? '').split(' ')
    if (token === undefined) return false
    const permissions = token === 'none' ? [] : token.split('+')
    req.user = { id: token, permissions } as never
    return true
  },
}

export const PAYROLL = 'payroll:read'
export const HR = 'hr:read'
export const ALL = `${PAYROLL}+${HR}`

export function staffApp(options: TestOptions = {}): Promise<TestApp> {
  // Some handlers send what their documents do not describe.
  return TestApp.create({
    controllers: [StaffController],
    auth: { guard },
    contract: 'off',
    ...options,
  })
}
