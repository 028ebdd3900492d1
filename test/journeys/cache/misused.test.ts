import { Cache, Controller, Get } from 'blazon'
import { TestApp } from 'blazon/testing'
import { afterEach, expect, it } from 'vitest'
import { settle } from './support.js'

// What types forbid, and JavaScript does not.
const reject = (async () => Promise.reject(new Error('no'))) as never

@Controller()
class MisusedController {
  @Cache({ ttl: 60, key: reject })
  @Get('key')
  key() {
    return 'made'
  }

  @Cache({ ttl: 60, tags: reject })
  @Get('tags')
  tags() {
    return 'made'
  }
}

let app: TestApp
afterEach(() => app.close())

it.each(['key', 'tags'])('a promise for %s costs the cache, and not the process', async (name) => {
  app = await TestApp.create({ controllers: [MisusedController] })
  const { status, headers } = await app.request().get(`/${name}`)
  expect([status, headers['x-cache']]).toEqual([200, 'BYPASS'])
  // A rejection that nobody handles would be told by the application as it closes.
  await settle()
})
