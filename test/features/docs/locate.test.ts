import { describe, expect, it } from 'vitest'
import type { Request } from '../../../src/contracts/handler.js'
import { locate } from '../../../src/features/docs/locate.js'

function asked(originalUrl: string, host: string | undefined = 'shop.test'): Request {
  return { originalUrl, host, protocol: 'http' } as Request
}

describe('locate', () => {
  it.each([
    ['/api-docs', './api-docs/', 'http://shop.test/api-docs'],
    ['/api-docs?a/b', './api-docs/', 'http://shop.test/api-docs'],
    ['/api-docs/', './', 'http://shop.test/api-docs'],
    ['/API-DOCS', './api-docs/', 'http://shop.test/api-docs'],
    ['/v1/api-docs/', './', 'http://shop.test/v1/api-docs'],
  ])('reads %s', (url, folder, document) => {
    const location = { folder, url: document }
    expect(locate(asked(url), '/api-docs')).toEqual(location)
  })

  it('takes the name of the folder from the request, at the root of a mounted application', () => {
    const url = 'http://shop.test/docs/'
    expect(locate(asked('/docs'), '/')).toEqual({ folder: './docs/', url })
    expect(locate(asked('/docs/'), '/')).toEqual({ folder: './', url })
  })

  it.each(['shop.test:8443', 'my_service', '127.0.0.1:80', '[::1]:3000', 'a.b.'])(
    'uses the host %s',
    (host) => {
      expect(locate(asked('/api-docs', host), '/api-docs').url).toBe(
        new URL(`http://${host}/api-docs`).href,
      )
    },
  )

  it.each([
    'a b',
    "a'b",
    '"><script>',
    'user@evil.test',
    'evil.test/x',
    'evil.test?',
    'evil.test#',
    'evil.test\\x',
    '$(id)',
    'a`id`',
    'a,b',
    '[::1',
    'a:b',
    `${'a'.repeat(300)}.test`,
    '',
  ])('ignores the host %j', (host) => {
    expect(locate(asked('/api-docs', host), '/api-docs').url).toBe('http://localhost/api-docs')
  })

  it('works without a host', () => {
    const req = { originalUrl: '/api-docs', protocol: 'http' } as Request
    expect(locate(req, '/api-docs').url).toBe('http://localhost/api-docs')
  })
})
