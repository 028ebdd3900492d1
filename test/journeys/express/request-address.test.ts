import { Controller, defineControllers, Get, type Request } from 'blazon'
import { describe, expect, it } from 'vitest'
import { appsOfTest, send } from './support.js'

const { listening } = appsOfTest()

@Controller('address')
class AddressController {
  @Get()
  show({ ip }: Request) {
    return { ip }
  }
}

const FORWARDED = { 'x-forwarded-for': '1.1.1.1, 9.9.9.9' }

describe('the req.ip field', () => {
  it.each([
    ['of the socket if no proxy is trusted', undefined, '127.0.0.1'],
    ['in the last entry of X-Forwarded-For if one proxy is trusted', 1, '9.9.9.9'],
    ['in the first entry of X-Forwarded-For if every proxy is trusted', true, '1.1.1.1'],
    ['of the socket if only a proxy with another address is trusted', '10.0.0.0/8', '127.0.0.1'],
  ])('is the address %s', async (_name, trustProxy, ip) => {
    const options = trustProxy === undefined ? {} : { trustProxy }
    const { port } = await listening({
      controllers: defineControllers(AddressController),
      ...options,
    })
    const { text } = await send(port, { path: '/address', headers: FORWARDED })
    expect(JSON.parse(text)).toMatchObject({ data: { ip } })
  })

  it('follows the "trust proxy" setting if it changes between two requests', async () => {
    const { app, port } = await listening({ controllers: defineControllers(AddressController) })
    const ask = async (): Promise<unknown> =>
      JSON.parse((await send(port, { path: '/address', headers: FORWARDED })).text)
    expect(await ask()).toMatchObject({ data: { ip: '127.0.0.1' } })
    app.express.set('trust proxy', 1)
    expect(await ask()).toMatchObject({ data: { ip: '9.9.9.9' } })
    app.express.set('trust proxy', false)
    expect(await ask()).toMatchObject({ data: { ip: '127.0.0.1' } })
  })
})
