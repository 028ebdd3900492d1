import {
  Auth,
  Checks,
  ConfigError,
  Controller,
  Get,
  NotFoundError,
  policy,
  type Request,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { turns } from '../turns.js'
import { guard } from './shop.js'

interface Row {
  readonly owner: string
}

const ROW: Row = { owner: 'ana' }

const RowPolicy = policy('row', {
  read: (user, row: Row) => row.owner === user.id,
  'read:all': (user) => user.id === 'ana',
  broken: () => {
    throw new TypeError('the rule is broken')
  },
})

@Auth()
@Controller('rows')
class RowsController {
  @Checks(RowPolicy, 'read:all')
  @Get('named')
  async named(req: Request) {
    return { all: await req.can('row:read:all', ROW) }
  }

  @Get('undeclared')
  async undeclared(req: Request) {
    return { can: await req.can('row:read', ROW) }
  }

  @Checks(RowPolicy.or404(), 'read')
  @Get('other-form')
  otherForm(req: Request) {
    return RowPolicy.load(req, 'read', () => ROW)
  }

  @Checks(RowPolicy, 'read')
  @Get('archived')
  archived(req: Request) {
    return RowPolicy.load(req, 'read', (): Row => {
      throw new NotFoundError('The row is archived')
    })
  }

  @Checks(RowPolicy, 'read')
  @Get('absent')
  absent(req: Request) {
    return RowPolicy.load(req, 'read', (): Row | undefined => undefined)
  }

  @Checks(RowPolicy, 'read')
  @Checks(RowPolicy, 'broken')
  @Get('unawaited')
  async unawaited(req: Request) {
    void RowPolicy.filter(req, 'broken', [ROW])
    await turns()
    return {}
  }

  @Checks(RowPolicy, 'broken')
  @Get('broken')
  broken(req: Request) {
    return RowPolicy.load(req, 'broken', () => ROW)
  }

  @Checks(RowPolicy, 'read', 'read:all')
  @Get('forgotten')
  forgotten() {
    return ROW
  }
}

let app: TestApp
beforeEach(async () => {
  app = await TestApp.create({ controllers: [RowsController], auth: { guard }, contract: 'off' })
})
afterEach(() => app.close())

const get = (path: string) => app.request().get(`/rows/${path}`).set('authorization', 'ana')
const logged = () => app.logs.map(({ facts }) => facts['err'] as Error)

describe('req.can()', () => {
  it('accepts an action whose name contains a colon', async () => {
    const response = await get('named').expect(200)
    expect(response.body.data).toEqual({ all: true })
    const decision = app.explain(response).decisions.find(({ by }) => by === 'policy')
    const facts = { policy: 'row', action: 'read:all' }
    expect(decision).toMatchObject({ verdict: 'allowed', reason: null, facts })
  })

  it('reports which policies the route declares, or that it declares none', async () => {
    await get('undeclared').expect(500)
    expect(logged()[0]?.message).toMatch(/req\.can\('row:read'\).*undeclared declares no policy\./)
  })
})

describe('a policy', () => {
  it('cannot be used in its form with 403 if the route declares only the form with 404', async () => {
    await get('other-form').expect(500)
    expect(logged()[0]?.message).toMatch(/does not declare it.*with this policy, without or404\(\)/)
  })

  it('passes on the message of a 404 error of the search', async () => {
    const { body } = await get('archived').expect(404)
    expect(body.message).toBe('The row is archived')
  })

  it('records that there is no object', async () => {
    const response = await get('absent').expect(404)
    const decision = app.explain(response).decisions.find(({ by }) => by === 'policy')
    expect(decision).toMatchObject({ verdict: 'refused', reason: 'there is no object' })
  })

  it('leaves no unhandled rejection if a handler does not await filter()', async () => {
    await get('unawaited').expect(500)
  })

  it('logs the error of a rule as the cause', async () => {
    await get('broken').expect(500)
    expect(logged()[0]?.message).toBe("policy 'row' threw while it checked 'broken'.")
    expect(logged()[0]?.cause).toMatchObject({ message: 'the rule is broken' })
  })

  it('is reported with all actions of the declaration that a handler has forgotten', async () => {
    await get('forgotten').expect(500)
    expect(logged()[0]?.message).toContain("@Checks(row, 'read' or 'read:all')")
  })

  it('refuses an unknown option', () => {
    expect(() => policy('row', {}, { anonymus: true } as never)).toThrow(ConfigError)
  })

  it('allows nothing if it has no rules', async () => {
    const empty = policy('row', undefined as never)
    expect(await empty.allows({ id: 'ana' }, 'read' as never, ROW)).toBe(false)
  })
})
