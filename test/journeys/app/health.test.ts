import { Controller, Get, Health, inject, type Plugin, type Response } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, describe, expect, it } from 'vitest'

@Controller('letters')
class LettersController {
  @Get('health')
  async health(_req: unknown, res: Response) {
    res.json(await this.#health.check())
  }

  readonly #health = inject(Health)
}

let app: TestApp
const start = async (...plugins: Plugin[]) => {
  app = await TestApp.create({
    controllers: [LettersController],
    plugins,
    logger: false,
    // The responses of these plugins are not in the document.
    contract: 'off',
  })
}
afterEach(() => app.close())
const get = (path: string) => app.request().get(path)

describe('health', () => {
  it('is up when no plugin has a health check', async () => {
    await start({ name: 'silent' })
    expect((await get('/letters/health')).body).toEqual({ status: 'up', plugins: {} })
  })

  it('is down when one plugin is down', async () => {
    await start(
      { name: 'fine', health: () => ({ lag: 3 }) },
      { name: 'gone', health: () => Promise.reject(new Error('cannot be reached')) },
      {
        name: 'odd',
        health: () => {
          throw 'odd'
        },
      },
    )
    expect((await get('/letters/health')).body).toEqual({
      status: 'down',
      plugins: {
        fine: { status: 'up', details: { lag: 3 } },
        gone: { status: 'down', reason: 'cannot be reached' },
        odd: { status: 'down', reason: 'odd' },
      },
    })
  })

  it('passes the providers of the application to the check', async () => {
    await start({
      name: 'asking',
      providers: [{ token: 'word', useValue: 'hello' }],
      health: ({ get }) => get('word'),
    })
    expect((await get('/letters/health')).body.plugins).toEqual({
      asking: { status: 'up', details: 'hello' },
    })
  })
})
