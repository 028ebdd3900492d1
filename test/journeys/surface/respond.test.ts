import { Controller, Get, type Plugin, type Request, type Response } from 'blazon'
import { Refusal } from 'blazon/plugin'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'

@Controller('things')
class Things {
  @Get() list() {
    return 'of the handler'
  }
}

type Respond = (value: unknown) => void
type Act = (respond: Respond, ends: { req: Request; res: Response }) => unknown

/** The response to a request whose step calls `respond` in some way, and the errors in the log. */
async function responseOf(act: Act) {
  const plugin: Plugin = {
    name: 'responding',
    steps: (_route, app) => ({
      beforeBody: () => (req, res) => {
        return act((value) => app.respond(value, req, res), { req, res }) ?? res
      },
    }),
  }
  await using app = await TestApp.create({
    controllers: [Things],
    plugins: [plugin],
    contract: 'off',
  })
  const { status, body } = await app.request().get('/things')
  const errors = app.logs.filter(({ level }) => level === 'error')
  return { status, body, errors: errors.map(({ facts }) => (facts['err'] as Error).message) }
}

const data = (value: unknown) => ({ status: 200, body: { data: value }, errors: [] })
const failed = (message: unknown) => ({ status: 500, errors: [message] })

it.each<[string, Act, object]>([
  ['a value', (respond) => respond('a'), data('a')],
  ['nothing', (respond) => respond(undefined), { status: 204 }],
  ['a promise', (respond) => respond(Promise.resolve('a')), data('a')],
  ['a rejected promise', (respond) => respond(Promise.reject(new Error('late'))), failed('late')],
  ['a refusal', (respond) => respond(Refusal.of(410)), { status: 410, errors: [] }],
  [
    'a value that is not JSON',
    (respond) => respond(new Map()),
    failed(expect.stringContaining('a Map')),
  ],
  ['two values', (respond) => ['a', 'b'].forEach(respond), data('a')],
  [
    'a refusal and then a value',
    (respond) => [Refusal.of(410), 'b'].forEach(respond),
    { status: 410 },
  ],
  [
    'a value and another one that the step returns',
    (respond) => {
      respond('a')
      return 'b'
    },
    data('a'),
  ],
  [
    'a value after the response',
    (respond, { res }) => {
      res.json({ data: 'a' })
      setTimeout(respond, 1, Refusal.of(410))
    },
    data('a'),
  ],
])('respond() sends exactly one response for %s', async (_, act, expected) => {
  expect(await responseOf(act)).toMatchObject(expected)
})
