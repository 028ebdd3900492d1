import { describe, expect, it } from 'vitest'
import type { HttpMethod, RouteModel } from '../../src/contracts/route-model.js'
import { pathParameters } from '../../src/model/paths.js'
import { buildRouter } from '../../src/routing/build-router.js'

/** Builds a router of `GET /path` lines. It returns the line that matched, and its parameters. */
function routerOf(...lines: string[]) {
  const routes = lines.map((line, index) => {
    const [method, path] = line.split(' ') as [HttpMethod, string]
    return { index, method, path, pathParameters: pathParameters(path) } as unknown as RouteModel
  })
  const match = buildRouter(routes)
  return (method: string, url: string) => {
    const found = match(method, url)
    return found.kind === 'route' ? [lines[found.index], { ...found.params }] : found
  }
}

describe('buildRouter', () => {
  it('prefers static segments in any order of declaration', () => {
    const match = routerOf('GET /users/:id', 'GET /users/me', 'GET /:section/list')
    expect(match('GET', '/users/me')).toEqual(['GET /users/me', {}])
    expect(match('GET', '/users/7')).toEqual(['GET /users/:id', { id: '7' }])
    expect(match('GET', '/users/list')).toEqual(['GET /users/:id', { id: 'list' }])
    expect(match('GET', '/orders/list')).toEqual(['GET /:section/list', { section: 'orders' }])
  })

  it.each(['/Users/Me', '/users/me/', '/users/me?x=1', '/%75sers/me'])(
    'matches %s as Express does',
    (url) => {
      expect(routerOf('GET /users/me')('GET', url)).toEqual(['GET /users/me', {}])
    },
  )

  it('lets a wildcard be empty, but not a parameter', () => {
    const match = routerOf('GET /*rest', 'POST /users/:id')
    expect(match('GET', '/')).toEqual(['GET /*rest', { rest: '' }])
    expect(match('POST', '/users/')).toEqual({ kind: 'method', allow: ['GET', 'HEAD', 'OPTIONS'] })
  })

  it('keeps the case of parameters and decodes them once', () => {
    const match = routerOf('GET /files/:name')
    expect(match('GET', '/FILES/ReadMe')).toEqual(['GET /files/:name', { name: 'ReadMe' }])
    expect(match('GET', '/files/a%2Fb')).toEqual(['GET /files/:name', { name: 'a/b' }])
    expect(match('GET', '/files/%252e%252e')).toEqual(['GET /files/:name', { name: '%2e%2e' }])
    expect(match('GET', '/files/caf%C3%A9')).toEqual(['GET /files/:name', { name: 'café' }])
  })

  it('returns the rest of the path by the name of the wildcard', () => {
    const match = routerOf('GET /files/*path', 'GET /files/latest')
    expect(match('GET', '/files/a/b.txt')).toEqual(['GET /files/*path', { path: 'a/b.txt' }])
    expect(match('GET', '/files/latest')).toEqual(['GET /files/latest', {}])
  })

  it('supports several parameters in a segment', () => {
    expect(routerOf('GET /flights/:from-:to')('GET', '/flights/BER-LIS')).toEqual([
      'GET /flights/:from-:to',
      { from: 'BER', to: 'LIS' },
    ])
  })

  it.each([
    '//users/me',
    '/users//me',
    '/users/me/more',
    '/users',
    '/',
    '/users/me;x',
    '/./users/me',
  ])('finds no route for %s', (url) => {
    expect(routerOf('GET /users/me')('GET', url)).toEqual({ kind: 'none' })
  })

  it.each(['/users/%E0%A4%A', '/%', '/users/%zz', '/nowhere/%ff'])(
    'returns `malformed` for %s',
    (url) => {
      expect(routerOf('GET /users/:id')('GET', url)).toEqual({ kind: 'malformed' })
      expect(routerOf('POST /users/:id')('GET', url)).toEqual({ kind: 'malformed' })
    },
  )

  it('lists the methods of a path in a fixed order', () => {
    const match = routerOf('DELETE /users/:id', 'PUT /users/:id', 'GET /users/:id', 'POST /other')
    expect(match('POST', '/users/7')).toEqual({
      kind: 'method',
      allow: ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'],
    })
    expect(match('BREW', '/users/7')).toMatchObject({ kind: 'method' })
    expect(match('constructor', '/users/7')).toMatchObject({ kind: 'method' })
  })

  it('finds GET for HEAD, and @All for methods without another route', () => {
    const match = routerOf('GET /a', 'ALL /b', 'POST /b')
    expect(match('HEAD', '/a')).toEqual(['GET /a', {}])
    expect(match('POST', '/b')).toEqual(['POST /b', {}])
    expect(match('PATCH', '/b')).toEqual(['ALL /b', {}])
    expect(match('TRACE', '/b')).toMatchObject({ kind: 'method' })
  })

  it.each([
    ['GET before @All', ['GET /a', 'ALL /a']],
    ['@All before GET', ['ALL /a', 'GET /a']],
  ])('finds GET for HEAD, and not the @All route of the same path: %s', (_order, lines) => {
    const match = routerOf(...lines)
    expect(match('GET', '/a')).toEqual(['GET /a', {}])
    expect(match('HEAD', '/a')).toEqual(['GET /a', {}])
    expect(match('POST', '/a')).toEqual(['ALL /a', {}])
    expect(match('OPTIONS', '/a')).toEqual(['ALL /a', {}])
  })

  it.each(['/a', '/A/7', '/a/7/b', '/a/7/c/d', '/a/7/', '/a/%ff', '/b', '/nowhere'])(
    'finds the same route for HEAD %s, with or without a HEAD route on another path',
    (url) => {
      const lines = [
        'GET /a',
        'GET /a/:id',
        'GET /a/:id/b',
        'GET /a/*rest',
        'POST /b',
        'PUT /a/:key',
      ]
      const [implied, declared] = [routerOf(...lines), routerOf(...lines, 'HEAD /far/away')]
      expect(implied('HEAD', url)).toEqual(declared('HEAD', url))
      expect(implied('DELETE', url)).toEqual(declared('DELETE', url))
    },
  )

  it('distinguishes implied routes by shape, not by the names of parameters', () => {
    const match = routerOf('GET /a/:id', 'HEAD /a/:name', 'ALL /A/:key')
    expect(match('GET', '/a/1')).toEqual(['GET /a/:id', { id: '1' }])
    expect(match('HEAD', '/a/1')).toEqual(['HEAD /a/:name', { name: '1' }])
    expect(match('PUT', '/a/1')).toEqual(['ALL /A/:key', { key: '1' }])
  })

  it('finds no route if a parameter is longer than the limit', () => {
    const match = routerOf('GET /users/:id')
    expect(match('GET', `/users/${'x'.repeat(1024)}`)).toMatchObject(['GET /users/:id', {}])
    expect(match('GET', `/users/${'x'.repeat(1025)}`)).toEqual({ kind: 'none' })
  })
})
