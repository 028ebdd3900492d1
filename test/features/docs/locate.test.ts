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
    const location = { folder, document: '../api-docs', url: document }
    expect(locate(asked(url), '/api-docs')).toEqual(location)
  })

  it('takes the name of the folder from the request, at the root of what is mounted', () => {
    const url = 'http://shop.test/docs/'
    expect(locate(asked('/docs'), '/')).toEqual({ folder: './docs/', document: '', url })
    expect(locate(asked('/docs/'), '/')).toEqual({ folder: './', document: '', url })
  })

  it('does without a host', () => {
    const req = { originalUrl: '/api-docs', protocol: 'http' } as Request
    expect(locate(req, '/api-docs').url).toBe('http://localhost/api-docs')
  })
})
