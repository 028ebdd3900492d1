import { Controller, Get } from 'blazon'
import { TestApp } from 'blazon/testing'
import { expect, it } from 'vitest'
import { Ip } from './ip.js'

@Controller('me')
class Me {
  @Get()
  show(@Ip() ip: string) {
    return { ip }
  }
}

it('@Ip() on a parameter provides the address of the caller', async () => {
  await using app = await TestApp.create({ controllers: [Me], trustProxy: true })
  const { body } = await app.request().get('/me').set('x-forwarded-for', '192.0.2.7')
  expect(body.data).toEqual({ ip: '192.0.2.7' })
})
