import { Controller, Post, type Request } from 'blazon'
import { type Session, sessions } from 'blazon/sessions'
import { TestApp } from 'blazon/testing'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'

type Own = Session<{ n?: number; text?: string }, { n?: number; text?: string }>

/** An application whose schema accepts `n` only in its first version. */
async function startVersions() {
  let isFirst = true
  const n = z.number().refine(() => isFirst, 'is not a letter')
  const web = sessions({ schema: z.object({ n: n.optional(), text: z.string().optional() }) })
  let work: (session: Own) => unknown = () => {}

  @Controller('do')
  class DoController {
    @Post() async post(req: Request) {
      const session = await web.of(req)
      return { result: (await work(session as Own)) ?? null, data: session.data }
    }
  }
  const app = await TestApp.create({ controllers: [DoController], plugins: [web], contract: 'off' })
  onTestFinished(() => app.close())
  const agent = app.request()
  const send = async (next: typeof work) => {
    work = next
    const { status, body } = await agent.post('/do').set('sec-fetch-site', 'same-origin')
    return { status, data: body.data?.data }
  }
  await send((session) => session.set({ n: 1 }))
  isFirst = false
  return { send }
}

it.each<[string, (session: Own) => unknown, object]>([
  ['set()', (session) => session.set({ text: 'a' }), { text: 'a' }],
  ['login()', (session) => session.login({ id: 7 }), {}],
])(
  'values that do not match a new schema are removed from the session by %s',
  async (_, work, data) => {
    const { send } = await startVersions()
    expect((await send(() => {})).data).toEqual({})
    expect(await send(work)).toEqual({ status: 200, data })
    expect((await send(() => {})).data).toEqual(data)
    expect((await send((session) => session.set({ text: 'b' }))).data).toEqual({ text: 'b' })
  },
)
