import { expect, it } from 'vitest'
import { redirected } from '../../src/http/follow-redirects.js'

const message = (method: string) => ({
  url: new URL('http://own.example/a'),
  method,
  headers: new Headers({
    'content-type': 'text/plain',
    'content-language': 'de',
    authorization: 'a secret',
    'x-own': '1',
  }),
  body: 'text',
})

it.each([
  [303, 'PUT', 'GET', ['authorization', 'x-own']],
  [302, 'POST', 'GET', ['authorization', 'x-own']],
  [302, 'PUT', 'PUT', ['authorization', 'content-language', 'content-type', 'x-own']],
  [307, 'POST', 'POST', ['authorization', 'content-language', 'content-type', 'x-own']],
  [303, 'HEAD', 'HEAD', ['authorization', 'content-language', 'content-type', 'x-own']],
])('a redirect with %i after %s leads to %s, with the headers %j', (status, from, to, names) => {
  const { method, headers, body } = redirected(message(from), status, '/b')
  expect([method, [...headers.keys()]]).toEqual([to, names])
  expect(body).toBe(from === to ? 'text' : null)
})

it('a redirect to another host has neither credentials of the headers nor of the URL', () => {
  const { url, headers } = redirected(message('GET'), 307, 'http://ann:pw@other.example/b')
  expect([url.href, headers.has('authorization')]).toEqual(['http://other.example/b', false])
})
