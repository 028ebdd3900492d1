import {
  ApiResponseDoc,
  Controller,
  Get,
  HttpCode,
  NotFoundError,
  Redirect,
  type Response,
} from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const Found = ApiResponseDoc({ status: 200, description: 'Found' })
const Missing = ApiResponseDoc({ status: 404, description: 'Missing' })

function refuse(): never {
  throw new NotFoundError('There is none')
}

@Controller('things')
class ThingsController {
  @Get('open/:id') open() {
    refuse()
  }
  @Get('home-made/:id') homeMade(_req: unknown, res: Response) {
    res.status(404).json({ error: 'none' })
  }
  @Found @Get('silent/:id') silent() {
    refuse()
  }
  @HttpCode(202) @Get('coded/:id') coded() {
    refuse()
  }
  @Redirect('/things') @Get('moved/:id') moved() {
    refuse()
  }
  @Found @Missing @Get('said/:id') said() {
    refuse()
  }
  @Found @Missing @Get('other/:id') other(_req: unknown, res: Response) {
    return res.status(203).json({ statusCode: 'success', status: 203, message: 'Other' })
  }
}

describe('a response with a documented or an undocumented status', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await TestApp.create({ controllers: [ThingsController], contract: 'throw' })
  })
  afterAll(() => app.close())

  /** The breach of the contract, or null. */
  const breachOf = (work: PromiseLike<unknown>) =>
    Promise.resolve(work).then(
      () => null,
      ({ message }: Error) => /(?:status|envelope)\S*: expected .+, got .+/.exec(message)?.[0],
    )

  it.each([
    ['open', null],
    ['homeMade', 'envelope: expected the error envelope, got {"error":"none"}'],
    ['silent', 'status: expected one of 200, 400, 500, 503, got 404'],
    ['coded', 'status: expected one of 202, 400, 500, 503, got 404'],
    ['moved', 'status: expected one of 302, 400, 500, 503, got 404'],
    ['said', null],
    ['other', 'status: expected one of 200, 400, 404, 500, 503, got 203'],
  ])('gets the same verdict from request(), fetch() and fuzz(): %s', async (name, breach) => {
    const path = `/things/${name === 'homeMade' ? 'home-made' : name}/1`
    const operations = ({ operationId }: { operationId: string }) =>
      operationId === `Things_${name}`
    expect(await breachOf(app.request().get(path))).toBe(breach)
    expect(await breachOf(app.fetch(path))).toBe(breach)
    expect(await breachOf(app.fuzz({ seed: 1, runs: 3, operations }))).toBe(breach)
  })
})
