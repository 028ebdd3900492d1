import {
  ApiResponseDoc,
  App,
  type AppOptions,
  Controller,
  defineControllers,
  Get,
  inject,
  Outgoing,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const BANK = 'https://bank.example/charges'

@Controller('charges')
class ChargesController {
  readonly #outgoing = inject(Outgoing)

  @Get()
  @ApiResponseDoc({ status: 200, description: 'The status', schema: z.number() })
  async read() {
    return (await this.#outgoing(BANK)).status
  }

  @Get('stranger')
  @ApiResponseDoc({ status: 200, description: 'The status', schema: z.number() })
  async stranger() {
    return (await this.#outgoing('http://10.0.0.8/', { public: true })).status
  }
}

/** Without a time limit of the handler, which is a 503 of its own. */
const options: AppOptions = {
  controllers: defineControllers(ChargesController),
  timeouts: { handler: false },
  outgoing: { circuit: true },
}

const create = () => TestApp.create({ ...options, contract: 'throw' })

/** The statuses in the document of an operation. */
function statusesOf(more: AppOptions): string[] {
  const { paths } = new App({ ...options, ...more }).document
  return Object.keys(paths['/charges']?.get?.responses ?? {})
}

describe('an error of an outgoing call', () => {
  it('is allowed by the contract of its route if a circuit is open', async () => {
    await using app = await create()
    app.outgoing.answer('GET', BANK, { error: 'reset' })
    for (let i = 0; i < 5; i++) await app.request().get('/charges').expect(500)
    await app
      .request()
      .get('/charges')
      .expect(503, /CIRCUIT_OPEN/)
  })

  it('is allowed by the contract of its route if the URL of a user is not public', async () => {
    await using app = await create()
    await app
      .request()
      .get('/charges/stranger')
      .expect(400, /URL_NOT_PUBLIC/)
  })

  it('appears in the document as 400, and with circuits also as 503', () => {
    expect(statusesOf({})).toEqual(['200', '400', '500', '503'])
    expect(statusesOf({ outgoing: { retries: true } })).toEqual(['200', '400', '500'])
  })
})
