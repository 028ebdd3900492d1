import { Auth, Can, Checks, Controller, Get, policy, type Request } from 'blazon'
import { describe, expect, it } from 'vitest'
import { startGuarded } from './app.js'

class Note {
  constructor(
    readonly owner: string,
    readonly tenant = 'acme',
  ) {}
}

/** An object whose fields throw. */
const broken = new Proxy(new Note('ann'), {
  get() {
    throw new Error('secret')
  },
})

const NotePolicy = policy(Note, { read: (user, note) => note.owner === user.id })
const HiddenNote = NotePolicy.or404()

const OBJECTS: Readonly<Record<string, unknown>> = {
  ann: new Note('ann'),
  bob: new Note('bob'),
  'of no prototype': Object.create(null),
  'a proxy': new Proxy(new Note('bob'), {
    get: (_, name) => (name === 'then' ? undefined : () => 'ann'),
  }),
  none: null,
}
const find = (req: Request) => OBJECTS[decodeURIComponent(String(req.params.id))] as Note | null

@Auth()
@Controller('notes')
class NotesController {
  @Checks(HiddenNote, 'read')
  @Get('hidden/:id')
  hidden(req: Request) {
    return HiddenNote.load(req, 'read', () => find(req))
  }

  @Checks(NotePolicy, 'read')
  @Get('open/:id')
  open(req: Request) {
    return NotePolicy.load(req, 'read', () => find(req))
  }

  @Checks(NotePolicy, 'read')
  @Get('forgotten')
  forgotten() {
    return { secret: 'bob' }
  }

  @Checks(NotePolicy, 'read')
  @Get('caught')
  async caught(req: Request) {
    await NotePolicy.check(req, 'read', new Note('bob')).catch(() => {})
    return { secret: 'bob' }
  }

  @Checks(NotePolicy, 'read')
  @Get('can/:name')
  async can(req: Request) {
    return { can: await req.can(String(req.params.name), new Note('ann')) }
  }

  @Can('constructor')
  @Get('constructor')
  constructorOf() {
    return 'secret'
  }

  @Can('__proto__')
  @Get('proto')
  proto() {
    return 'secret'
  }
}

const ANN = ['Authorization: Bearer ann']
const startNotes = async () => {
  const { send } = await startGuarded({ controllers: [NotesController] })
  return async (path: string) => (await send(encodeURI(path), ANN))[0]
}

describe('an object of another user', () => {
  it('results in the same response as an object that does not exist', async () => {
    const get = await startNotes()
    const missing = await get('/notes/hidden/nowhere')
    const names = (answer: typeof missing) =>
      answer?.lines.filter(([name]) => name !== 'date').map((line) => line.join())
    for (const id of ['bob', 'of no prototype', 'a proxy', 'none', '__proto__x']) {
      const answer = await get(`/notes/hidden/${id}`)
      const text = answer?.text.replaceAll(/"requestId":"[^"]+"/g, '')
      expect([id, answer?.status, names(answer)]).toEqual([id, 404, names(missing)])
      expect(text).toBe(missing?.text.replaceAll(/"requestId":"[^"]+"/g, ''))
    }
    expect((await get('/notes/hidden/ann'))?.status).toBe(200)
    expect((await get('/notes/open/bob'))?.status).toBe(403)
  })

  it('is not sent by a handler that does not check the policy or catches its refusal', async () => {
    const get = await startNotes()
    for (const path of ['/notes/forgotten', '/notes/caught']) {
      const answer = await get(path)
      expect(answer?.status, path).toBe(500)
      expect(answer?.text, path).not.toContain('bob')
    }
  })

  it('is inaccessible if the rule of the policy throws', async () => {
    await expect(NotePolicy.allows({ id: 'ann' }, 'read', broken)).rejects.toThrow()
  })
})

describe('names of built-in properties', () => {
  const NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', '']

  it('are not actions of a policy', async () => {
    const get = await startNotes()
    for (const name of NAMES) {
      const answer = await get(`/notes/can/note:${name}`)
      // The handler has asked about no declared action, so not even its `false` is sent.
      expect(answer?.status, name).toBe(500)
      await expect(NotePolicy.allows({ id: 'ann' }, name as 'read', new Note('ann'))).resolves.toBe(
        false,
      )
    }
    expect(JSON.parse((await get('/notes/can/note:read'))?.text ?? '').data).toEqual({ can: true })
  })

  it('are not policies of a route', async () => {
    const get = await startNotes()
    for (const name of ['constructor:read', '__proto__:read', 'Note:read', 'read', ':read']) {
      expect((await get(`/notes/can/${name}`))?.status, name).toBe(500)
    }
  })

  it('are not abilities of a user', async () => {
    const get = await startNotes()
    expect((await get('/notes/constructor'))?.status).toBe(403)
    expect((await get('/notes/proto'))?.status).toBe(403)
  })
})
