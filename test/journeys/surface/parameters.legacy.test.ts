import { Controller, defineParameter, Get, type Request } from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { z } from 'zod'

let reads = 0
const Ip = defineParameter((req) => {
  reads++
  return req.get('x-ip') ?? 'none'
})
const Page = defineParameter(async (req) => req.query['page'], {
  in: 'query',
  name: 'page',
  schema: z.coerce.number().default(1),
})

@Controller('items')
class Items {
  @Get()
  list(@Page() page: number, @Ip() ip: string, @Ip() again: string) {
    return { page, ip, again }
  }

  @Get('same')
  @Ip()
  same(@Ip() ip: string) {
    return { ip }
  }

  @Get('of')
  @Page()
  of(req: Request) {
    return { page: Page.of(req) }
  }
}

it('defineParameter() creates decorators for handler parameters', async () => {
  await using app = await TestApp.create({ controllers: [Items], contract: 'throw' })
  reads = 0
  const { body } = await app.request().get('/items?page=2').set('x-ip', '::1')
  expect(body.data).toEqual({ page: 2, ip: '::1', again: '::1' })
  expect(reads).toBe(1)
  expect((await app.request().get('/items/same')).body.data).toEqual({ ip: 'none' })
  expect((await app.request().get('/items/of')).body.data).toEqual({ page: 1 })
  const refused = await app.request().get('/items?page=x')
  expect(refused.body.errors).toMatchObject([{ in: 'query', path: 'page' }])
  expect(app.document.paths['/items']?.get?.parameters).toMatchObject([
    { in: 'query', name: 'page', schema: { type: 'number', default: 1 } },
  ])
})
