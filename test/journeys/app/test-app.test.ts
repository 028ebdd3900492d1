import {
  type AppOptions,
  Auth,
  BaseController,
  Body,
  ConflictError,
  Controller,
  defineAppOptions,
  defineControllers,
  Get,
  Injectable,
  inject,
  Params,
  Post,
  Public,
  type Req,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'

@Injectable()
class NoteStore {
  readonly notes: { id: number; text: string }[] = []
}

const Note = z.object({ text: z.string().min(1), pinned: z.boolean().default(false) })
const ById = z.object({ id: z.coerce.number().int() })

@Auth()
@Controller('notes')
class NotesController extends BaseController {
  readonly store = inject(NoteStore)

  @Get(':id')
  @Params(ById)
  getById(req: Req<{ auth: true; params: typeof ById }>, res: Response) {
    return this.ok(res, 'Note found', { id: req.params.id, by: req.user.id })
  }

  @Post()
  @Body(Note)
  create(req: Req<{ body: typeof Note }>, res: Response) {
    if (this.store.notes.some(({ text }) => text === req.body.text)) {
      throw new ConflictError('The note exists already')
    }
    const note = { id: this.store.notes.length + 1, ...req.body }
    this.store.notes.push(note)
    return this.ok(res, 'Note created', note, 201)
  }

  @Public()
  @Get('public/headers')
  headers(req: Req, res: Response) {
    return this.ok(res, 'Headers', req.headers)
  }
}

const guard = {
  async canActivate(req: Req) {
    if (req.get('authorization') !== 'Bearer secret') return false
    req.user = { id: 7, roles: [] }
    return true
  },
}

const options = defineAppOptions({
  controllers: defineControllers(NotesController),
  auth: { guard },
})
let app: TestApp
afterEach(() => app.close())

describe('a TestApp', () => {
  it('responds in the same process without a listening server', async () => {
    app = await TestApp.create(options)
    const { status, body } = await app.request().get('/notes/public/headers')
    expect(status).toBe(200)
    expect(body).toMatchObject({ statusCode: 'success', status: 200, message: 'Headers' })
    expect(app.server.listening).toBe(false)
    expect(app.server.address()).toBeNull()
    expect(process.getActiveResourcesInfo()).not.toContain('TCPServerWrap')
  })

  it('supports supertest assertions, several agents, and separate cookies per agent', async () => {
    app = await TestApp.create({
      ...options,
      middlewares: [
        (req, res, next) => {
          if (req.headers.cookie === undefined) res.cookie('seen', 'yes')
          next()
        },
      ],
    })
    const agent = app.request()
    await agent
      .get('/notes/public/headers')
      .expect(200)
      .expect('set-cookie', /seen=yes/)
    const again = await agent.get('/notes/public/headers').expect('content-type', /json/)
    expect(again.body.data.cookie).toBe('seen=yes')
    const other = await app.request().get('/notes/public/headers')
    expect(other.body.data.cookie).toBeUndefined()
  })

  it('sends the headers of withAuth() and withHeaders() until clearHeaders() is called', async () => {
    app = await TestApp.create(options)
    const agent = app.request()
    expect((await agent.get('/notes/1')).status).toBe(401)
    app.withAuth('secret').withHeaders({ 'X-One': '1', 'x-two': '2' })
    expect((await agent.get('/notes/1')).body.data).toEqual({ id: 1, by: 7 })
    app.withHeaders({ 'x-one': 'changed' })
    const { data } = (await app.request().get('/notes/public/headers')).body
    expect(data).toMatchObject({ authorization: 'Bearer secret', 'x-one': 'changed', 'x-two': '2' })
    app.clearHeaders()
    const cleared = (await app.request().get('/notes/public/headers')).body.data
    expect(cleared).not.toHaveProperty('authorization')
    expect(cleared).not.toHaveProperty('x-one')
  })

  it('allows a single request to override the header of withAuth()', async () => {
    app = await TestApp.create(options)
    app.withAuth('secret')
    const denied = await app.request().get('/notes/1').set('Authorization', 'Bearer wrong')
    expect(denied.status).toBe(401)
  })

  it('runs validation, guards and error handling like a normal application', async () => {
    app = await TestApp.create(options)
    app.withAuth('secret')
    const created = await app.request().post('/notes').send({ text: 'milk' })
    expect(created.status).toBe(201)
    expect(created.body.data).toEqual({ id: 1, text: 'milk', pinned: false })
    const conflict = await app.request().post('/notes').send({ text: 'milk' })
    expect(conflict.body).toMatchObject({
      statusCode: 'error',
      status: 409,
      message: 'The note exists already',
    })
    const invalid = await app.request().post('/notes').send({ text: '' })
    expect(invalid.body).toMatchObject({ statusCode: 'error', status: 400 })
  })

  it('sends no helmet or CORS headers unless they are enabled', async () => {
    app = await TestApp.create(options)
    const bare = await app.request().get('/notes/public/headers')
    expect(bare.headers).not.toHaveProperty('x-frame-options')
    expect(bare.headers).not.toHaveProperty('access-control-allow-origin')
  })

  it('merges nested options with its defaults', async () => {
    const security: AppOptions['security'] = { cors: { origin: 'https://a.example' } }
    app = await TestApp.create({ ...options, security })
    const { headers } = await app.request().get('/notes/public/headers')
    expect(headers['access-control-allow-origin']).toBe('https://a.example')
    expect(headers).not.toHaveProperty('x-frame-options')
  })

  it('lists its routes', async () => {
    app = await TestApp.create(options)
    expect(app.getRouteTable()).toContainEqual(
      expect.objectContaining({ method: 'GET', path: '/notes/:id', isProtected: true }),
    )
  })

  it('shares no state with another TestApp', async () => {
    app = await TestApp.create(options)
    const other = await TestApp.create(options)
    app.withAuth('secret')
    await app.request().post('/notes').send({ text: 'mine' })
    expect(other.get(NoteStore).notes).toEqual([])
    expect((await other.request().get('/notes/1')).status).toBe(401)
    await other.close()
  })

  it('sends and receives large bodies completely', async () => {
    app = await TestApp.create({ ...options, limits: { body: '5mb' } })
    app.withAuth('secret')
    const text = 'ü'.repeat(1_000_000)
    const { body } = await app.request().post('/notes').send({ text })
    expect(body.data.text).toBe(text)
  })

  it('throws an error that mentions TestApp.create() if it was created with `new`', () => {
    // The constructor is private to types only.
    const unmade = Reflect.construct(TestApp, [options]) as TestApp
    expect(() => unmade.request()).toThrow('TestApp.create()')
  })
})
