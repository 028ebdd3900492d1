import {
  Controller,
  defineControllers,
  Get,
  JsonLines,
  ResponseFields,
  Sse,
  sseEvent,
} from 'blazon'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Item, script, start, state, useStreams } from './streams-app.js'

useStreams()

async function* wrong() {
  yield { n: 1 }
  yield { n: 'two' }
  yield { n: 3 }
}

describe('the items of a stream under test', () => {
  it('are compared with the document, and an invalid item ends the stream', async () => {
    script(wrong)
    const app = await start({ contract: 'throw' })
    const body = await (await app.fetch('/streams/events')).text()
    expect(body).toContain('data: {"n":1}')
    expect(body).toContain('event: error')
    expect(body).not.toContain('two')
    expect(app.contractReport()).toMatchObject([
      { handler: 'StreamsController.events', path: 'n', kind: 'body', status: 200 },
    ])
    expect(String(state.errors[0]?.err)).toContain('@Sse or @JsonLines')
    expect(state.log).toEqual(['finally'])
  })

  it('are reported and sent with the contract "warn"', async () => {
    script(wrong)
    const app = await start({ contract: 'warn' })
    expect(await (await app.fetch('/streams/lines')).text()).toContain('"two"')
    expect(app.contractReport()).toHaveLength(1)
  })

  it('can be wrapped in an event', async () => {
    script(async function* () {
      yield sseEvent({ n: 1 }, { id: 1 })
    })
    const app = await start({ contract: 'throw' })
    expect(await (await app.fetch('/streams/events')).text()).toContain('event: end')
    expect(app.contractReport()).toEqual([])
  })
})

async function* more() {
  yield { n: 1, password: 'hidden' }
  yield sseEvent({ n: 2, password: 'hidden' }, { id: 2 })
}

@Controller()
class LimitedController {
  @Get('strip') @Sse(Item) @ResponseFields('strip') strip() {
    return more()
  }

  @Get('check') @JsonLines(Item) @ResponseFields('check') check() {
    return more()
  }

  @Get('checked') @JsonLines(z.object({ at: z.date() })) @ResponseFields('check') async *checked() {
    yield { at: new Date(0) }
  }
}

const controllers = defineControllers(LimitedController)

describe('the fields of items', () => {
  it("are removed with @ResponseFields('strip') if the schema does not describe them", async () => {
    const app = await start({ controllers })
    expect(await (await app.fetch('/strip')).text()).toBe(
      'data: {"n":1}\n\nid: 2\ndata: {"n":2}\n\nevent: end\ndata:\n\n',
    )
  })

  it("cause a 500 response with @ResponseFields('check') if the first item has an undescribed field", async () => {
    const app = await start({ controllers, contract: 'off' })
    expect((await app.fetch('/check')).status).toBe(500)
    expect(String(state.errors[0]?.err)).toContain('LimitedController.check: It yielded an item')
    expect(String(state.errors[0]?.err)).not.toContain('hidden')
  })

  it("are accepted with @ResponseFields('check') if the schema describes them", async () => {
    const app = await start({ controllers, contract: 'off' })
    expect(await (await app.fetch('/checked')).text()).toBe('{"at":"1970-01-01T00:00:00.000Z"}\n')
  })

  it('require no description besides the schema of the stream', async () => {
    const warnings: unknown[] = []
    const logger = { info() {}, warn: (facts: object) => void warnings.push(facts), error() {} }
    await start({ controllers, logger, responses: 'strip' })
    expect(warnings).toEqual([])
  })
})
