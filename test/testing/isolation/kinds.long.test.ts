import {
  Body,
  CacheManager,
  Controller,
  Delete,
  ForbiddenError,
  Get,
  HttpCode,
  inject,
  type NextFunction,
  NotFoundError,
  Post,
  Put,
  type Request,
  type Response,
  requireTenantId,
  Tenant,
} from 'blazon'
import {
  type IsolationLeak,
  type IsolationOptions,
  TestApp,
  type TestOptions,
} from 'blazon/testing'
import { expect, it } from 'vitest'
import { idOf, Note, Notes } from './notes.js'

let notes = new Notes()

/** The notes of a tenant, without a bug. */
@Tenant()
@Controller('notes')
class NotesController {
  @Post()
  @HttpCode(201)
  @Body(Note)
  add(req: Request) {
    return notes.add(requireTenantId(), req.body.text)
  }

  @Get(':id')
  async byId(req: Request) {
    const note = await notes.byOwnersId(requireTenantId(), idOf(req))
    if (note === undefined) throw new NotFoundError('There is no such note')
    return note
  }
}

async function prove(
  controller: new () => object,
  options: TestOptions = {},
  how: IsolationOptions = {},
) {
  notes = new Notes()
  const controllers = [NotesController, controller]
  await using app = await TestApp.create({ controllers, tenant: {}, logger: false, ...options })
  return await app.proveIsolation({ tenants: ['acme', 'globex'], seed: 1, ...how })
}

/** The fields of a leak that the tests compare. */
const essence = ({ operation, kind, from, to, where, origin }: IsolationLeak) => ({
  operation,
  kind,
  from,
  to,
  where,
  origin,
})

const others = () => notes.ofAllOwners().at(-1)?.text ?? 'none'

it('proveIsolation() finds data of another tenant in headers, cookies, text and field names', async () => {
  @Tenant()
  @Controller('spoken')
  class SpokenController {
    @Get('header')
    header(_req: Request, res: Response) {
      res.setHeader('X-Latest', others()).json({})
    }

    @Get('cookie')
    cookie(_req: Request, res: Response) {
      res.cookie('latest', others()).json({})
    }

    @Get('text')
    text(_req: Request, res: Response) {
      res.type('text/plain').send(`The latest note is ${others()}.`)
    }

    @Get('name')
    name() {
      return { [others()]: 1 }
    }
  }

  const { leaks } = await prove(SpokenController)
  expect(leaks.map(({ operation, where }) => [operation, where])).toEqual(
    expect.arrayContaining([
      ['GET /spoken/header', 'header x-latest'],
      ['GET /spoken/cookie', 'cookie latest'],
      ['GET /spoken/text', 'body'],
      ['GET /spoken/name', 'body data, a name in it'],
    ]),
  )
  expect(leaks.every(({ kind }) => kind === 'response')).toBe(true)
})

it('proveIsolation() finds data of another tenant in the log', async () => {
  @Tenant()
  @Controller('failures')
  class FailuresController {
    @Get()
    fail() {
      throw new TypeError(`Cannot read ${others()}`)
    }
  }

  const { leaks } = await prove(FailuresController)
  expect(leaks.map(essence)).toContainEqual({
    operation: 'GET /failures',
    kind: 'log',
    from: 'globex',
    to: 'acme',
    where: 'the error “The request failed”',
    origin: 'POST /notes',
  })
  expect(leaks.every(({ kind }) => kind === 'log')).toBe(true)
})

it('proveIsolation() finds data of another tenant in a cache entry that no client receives', async () => {
  @Tenant()
  @Controller('digests')
  class DigestsController {
    private readonly cache = inject(CacheManager)

    @Get()
    async digest() {
      const all = () => Promise.resolve(notes.ofAllOwners())
      await this.cache.forTenant().getOrSet('digest', all, { ttl: 60 })
      return {}
    }
  }

  const { leaks, verdicts } = await prove(DigestsController)
  expect(leaks.map(essence)).toContainEqual({
    operation: 'GET /digests',
    kind: 'cache',
    from: 'globex',
    to: 'acme',
    where: 'its body',
    origin: 'POST /notes',
  })
  expect(verdicts.find(({ operation }) => operation === 'GET /digests')?.evidence).toMatch(
    /^the cache of \w+ contains data that \w+ put into POST \/notes, in its body/,
  )
})

it('proveIsolation() finds a response that reveals whether data of another tenant exists', async () => {
  @Tenant()
  @Controller('notes')
  class TellingController {
    @Get(':id/size')
    async size(req: Request) {
      const id = idOf(req)
      const own = await notes.byOwnersId(requireTenantId(), id)
      if (own !== undefined) return { size: own.text.length }
      const isThere = (await notes.byId(id)) !== undefined
      throw isThere ? new ForbiddenError('Not yours') : new NotFoundError('There is no such note')
    }
  }

  const { leaks } = await prove(TellingController)
  expect(leaks.map(essence)).toContainEqual({
    operation: 'GET /notes/{id}/size',
    kind: 'existence',
    from: 'globex',
    to: 'acme',
    where: 'gets 403 for an ID of globex, but 404 for an unknown ID',
    origin: '',
  })
  expect(leaks.every(({ kind }) => kind === 'existence')).toBe(true)
})

it('proveIsolation() finds an operation with which a tenant can delete data of another tenant', async () => {
  @Tenant()
  @Controller('notes')
  class RemovingController {
    @Delete(':id')
    @HttpCode(204)
    async remove(req: Request) {
      await notes.removeOfAnyOwner(idOf(req))
    }
  }

  const { leaks } = await prove(RemovingController)
  expect(leaks.map(essence)).toContainEqual({
    operation: 'DELETE /notes/{id}',
    kind: 'loss',
    from: 'globex',
    to: 'acme',
    where: 'made GET /notes/{id} respond 404 to globex for its own ID',
    origin: '',
  })
})

it('proveIsolation() finds an operation with which a tenant can overwrite data of another tenant', async () => {
  @Tenant()
  @Controller('notes')
  class ReplacingController {
    @Put(':id')
    @HttpCode(204)
    @Body(Note)
    async replace(req: Request) {
      await notes.changeOfAnyOwner(idOf(req), req.body.text)
    }
  }

  const { leaks } = await prove(ReplacingController)
  expect(leaks.map(essence)).toContainEqual({
    operation: 'GET /notes/{id}',
    kind: 'response',
    from: 'acme',
    to: 'globex',
    where: 'body data.text',
    origin: 'PUT /notes/{id}',
  })
})

it('proveIsolation() finds data that a middleware keeps in one variable for all requests', async () => {
  let asking = ''
  const remember = async (req: Request, _res: Response, next: NextFunction) => {
    asking = req.get('x-tenant-id') ?? ''
    await Promise.resolve()
    next()
  }

  @Tenant()
  @Controller('asking')
  class AskingController {
    @Get()
    who() {
      return { asking }
    }
  }

  const { leaks } = await prove(AskingController, { middlewares: [remember] })
  expect(leaks.map(({ from, to, where }) => [from, to, where]).toSorted()).toEqual([
    ['acme', 'globex', 'body data.asking'],
    ['globex', 'acme', 'body data.asking'],
  ])
})
