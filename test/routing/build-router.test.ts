import { describe, expect, it } from 'vitest'
import type { HttpMethod } from '../../src/contracts/route-model.js'
import { buildFinder, buildRouter } from '../../src/routing/build-router.js'

/** Builds a router of `GET /path` lines. It returns the line that matched, and its parameters. */
function routerOf(...lines: string[]) {
  const routes = lines.map((line, index) => {
    const [method, ...words] = line.split(' ') as [HttpMethod, ...string[]]
    return { index, method, path: words.join(' ') }
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
    'matches %s like Express',
    (url) => {
      expect(routerOf('GET /users/me')('GET', url)).toEqual(['GET /users/me', {}])
    },
  )

  it('allows an empty wildcard, but not an empty parameter', () => {
    const match = routerOf('GET /*rest', 'POST /users/:id')
    expect(match('GET', '/')).toEqual(['GET /*rest', { rest: '' }])
    expect(match('POST', '/users/')).toEqual({ kind: 'method', allow: ['GET', 'HEAD', 'OPTIONS'] })
  })

  it('preserves the case of parameters and decodes them once', () => {
    const match = routerOf('GET /files/:name')
    expect(match('GET', '/FILES/ReadMe')).toEqual(['GET /files/:name', { name: 'ReadMe' }])
    expect(match('GET', '/files/a%2Fb')).toEqual(['GET /files/:name', { name: 'a/b' }])
    expect(match('GET', '/files/%252e%252e')).toEqual(['GET /files/:name', { name: '%2e%2e' }])
    expect(match('GET', '/files/caf%C3%A9')).toEqual(['GET /files/:name', { name: 'café' }])
  })

  it('prefers a segment with a literal to a wildcard, even if the wildcard matches more segments', () => {
    const match = routerOf('GET /files/*path', 'GET /files/:name.txt/:id')
    expect(match('GET', '/files/a.txt/7')).toEqual([
      'GET /files/:name.txt/:id',
      { name: 'a', id: '7' },
    ])
    expect(match('GET', '/files/a.txt/7/8')).toEqual(['GET /files/*path', { path: 'a.txt/7/8' }])
  })

  it('returns a long rest of the path after a segment with a literal', () => {
    const rest = 'x'.repeat(2000)
    expect(routerOf('GET /:name.txt/*rest')('GET', `/a.txt/${rest}`)).toEqual([
      'GET /:name.txt/*rest',
      { name: 'a', rest },
    ])
  })

  it('limits a parameter to 1,024 characters, alone and beside a literal', () => {
    const [longest, tooLong] = ['x'.repeat(1024), 'x'.repeat(1025)]
    const match = routerOf('GET /a/:name', 'GET /b/:name.txt')
    expect(match('GET', `/a/${longest}`)).toEqual(['GET /a/:name', { name: longest }])
    expect(match('GET', `/b/${longest}.txt`)).toEqual(['GET /b/:name.txt', { name: longest }])
    for (const url of [`/a/${tooLong}`, `/b/${tooLong}.txt`]) {
      expect(match('GET', url)).toEqual({ kind: 'none' })
    }
  })

  it('finds nothing, instead of a malformed path, if only the query cannot be decoded', () => {
    expect(routerOf('GET /users')('GET', '/none?name=%ff')).toEqual({ kind: 'none' })
    expect(routerOf('GET /users')('GET', '/%ff?name=a')).toEqual({ kind: 'malformed' })
  })

  it('returns the rest of the path under the name of the wildcard', () => {
    const match = routerOf('GET /files/*path', 'GET /files/latest')
    expect(match('GET', '/files/a/b.txt')).toEqual(['GET /files/*path', { path: 'a/b.txt' }])
    expect(match('GET', '/files/latest')).toEqual(['GET /files/latest', {}])
  })

  it.each([
    ['/flights/:from-:to', '/flights/BER-LIS', { from: 'BER', to: 'LIS' }],
    ['/near/:lat,:lng', '/near/1.5,2', { lat: '1.5', lng: '2' }],
    ['/near/:lat,:lng', '/near/1%2C5,2%2c5', { lat: '1,5', lng: '2,5' }],
    ['/r/:id@me', '/r/a%40b@me', { id: 'a@b' }],
    ['/a/:one~:two|:three', '/a/1~2%7C3', { one: '1', two: '2', three: '3' }],
    ['/f/:name.:ext', '/f/a.tar.gz', { name: 'a.tar', ext: 'gz' }],
    ['/f/:a-:b', '/f/x-y-', { a: 'x', b: 'y-' }],
    ['/f/:name.PDF', '/F/ReadMe.pdf', { name: 'ReadMe' }],
    ['/f/REPORT-:name.pdf', '/f/report-ReadMe.PDF', { name: 'ReadMe' }],
    ['/f/:name.ÉTÉ', '/f/Mai.%C3%A9t%C3%A9', { name: 'Mai' }],
    ['/v:version', '/V2', { version: '2' }],
    ['/:name.txt', '/a%0Ab.txt', { name: 'a\nb' }],
    ['/:name.txt', '/a%2Fb.txt/?x=.csv', { name: 'a/b' }],
    ['/:name.txt', '/%252Ea.txt', { name: '%2Ea' }],
    ['/:id.x/*rest', '/7.x/a%2Cb/c', { id: '7', rest: 'a,b/c' }],
  ])('reads the parameters of %s from %s', (path, url, params) => {
    expect(routerOf(`GET ${path}`)('GET', url)).toEqual([`GET ${path}`, params])
  })

  it.each([
    ['/r/:id@me', '/r/admin'],
    ['/r/:id@me', '/r/admin%40me'],
    ['/r/:id,json', '/r/admin'],
    ['/near/:lat,:lng', '/near/1%2C2'],
    ['/near/:lat,:lng', '/near/,2'],
    ['/f/:name.:ext', '/f/a.'],
    ['/f/:name.:ext', '/f/.a'],
    ['/f/:name.:ext', '/f/.'],
    ['/f/a:name.a', '/f/a.a'],
    ['/v:version', '/v'],
    ['/:id.x/*rest', '/7.x'],
  ])('does not match %s with %s', (path, url) => {
    expect(routerOf(`GET ${path}`)('GET', url)).toEqual({ kind: 'none' })
  })

  it.each([
    ['/books\\:batchGet', '/books:batchGet'],
    ['/books\\:batchGet', '/BOOKS:batchget'],
    ['/books\\:batchGet/:id', '/books:batchGet/7'],
    ['/a\\*', '/a*'],
    ['/a\\:b\\:c', '/a:b:c'],
    ['/a\\*', '/a%2A'],
    ['/\\(a\\)\\{b\\}\\[c\\]', '/(a)%7Bb%7D%5Bc%5D'],
    ['/a\\+b', '/a+b'],
    ['/a\\?b\\#c', '/a%3Fb%23c'],
    ['/100\\%', '/100%25'],
    ['/a\\ b', '/a%20b'],
    ['/a\\\\b', '/a%5Cb'],
    ['/:id\\:publish', '/7:publish'],
    ['/:id\\年', '/7%E5%B9%B4'],
    ['/İ', '/%C4%B0'],
  ])('matches the literal characters of %s in %s', (path, url) => {
    expect(routerOf(`GET ${path}`)('GET', url)).toMatchObject([`GET ${path}`, {}])
  })

  it.each([
    ['/books\\:batchGet', '/books/7'],
    ['/books\\:batchGet', '/booksX'],
    ['/a\\*', '/ab'],
    ['/a\\:b\\:c', '/a:bx'],
    ['/a\\+b', '/aab'],
    ['/a\\.b', '/axb'],
    ['/100\\%', '/100'],
  ])('does not treat the literal characters of %s as special characters: %s', (path, url) => {
    expect(routerOf(`GET ${path}`)('GET', url)).toEqual({ kind: 'none' })
  })

  const candidates = [
    'GET /f/all.csv',
    'GET /f/:name.tar.gz',
    'GET /f/:name.csv',
    'GET /f/:name.:ext',
    'GET /f/:name',
    'GET /:folder/:name.txt/x',
    'GET /:folder/readme/x',
    'GET /*rest',
  ]

  it.each([
    ['/f/all.csv', 0],
    ['/f/a.tar.gz', 1],
    ['/f/a.csv', 2],
    ['/f/a.b', 3],
    ['/f/a.', 4],
    ['/f/.csv', 4],
    ['/f/a.txt/x', 5],
    ['/f/readme/x', 6],
    ['/f/a.md/x', 7],
    ['/f//x', 7],
    [`/f/${'a'.repeat(1025)}.csv`, 7],
  ])('tries the next candidate if one fails, in any order of declaration: %s', (url, index) => {
    for (const lines of [candidates, candidates.toReversed()]) {
      expect(routerOf(...lines)('GET', url)).toContain(candidates[index])
    }
  })

  it('never matches a route with an empty parameter', () => {
    const match = routerOf(
      'GET /v:version',
      'GET /:name',
      'GET /a/:id/x',
      'GET /:x/*rest',
      'GET /*all',
    )
    expect(match('GET', '/v')).toEqual(['GET /:name', { name: 'v' }])
    expect(match('GET', '/a//x')).toEqual(['GET /:x/*rest', { x: 'a', rest: '/x' }])
    expect(match('GET', '//a')).toEqual(['GET /*all', { all: '/a' }])
  })

  it('reads values that become longer in lower case', () => {
    const match = routerOf('GET /cities/:city/weather', 'GET /*rest', 'GET /İ/:id')
    const url = '/cities/%C4%B0stanbul/weather'
    expect(match('GET', url)).toEqual(['GET /cities/:city/weather', { city: 'İstanbul' }])
    expect(match('GET', '/%c4%b0/AbC')).toEqual(['GET /İ/:id', { id: 'AbC' }])
    expect(match('GET', '/x/%C4%B0/y')).toEqual(['GET /*rest', { rest: 'x/İ/y' }])
  })

  it('finds the method among all matching paths with mixed segments, or lists the allowed methods', () => {
    const match = routerOf('GET /f/:name.csv', 'ALL /f/:name.:ext', 'POST /f/:name')
    expect(match('HEAD', '/f/a.csv')).toEqual(['GET /f/:name.csv', { name: 'a' }])
    expect(match('POST', '/f/a.csv')).toEqual(['ALL /f/:name.:ext', { name: 'a', ext: 'csv' }])
    expect(match('GET', '/f/a')).toEqual({ kind: 'method', allow: ['POST', 'OPTIONS'] })
    expect(match('BREW', '/f/a.csv')).toMatchObject({ kind: 'method' })
  })

  it.each(['/f/a%00.csv', '/f/%ff.csv', '/f/%.csv'])(
    'returns `malformed` for a path with mixed segments: %s',
    (url) => {
      expect(routerOf('GET /f/:name.csv')('GET', url)).toEqual({ kind: 'malformed' })
      expect(routerOf('GET /f/:name.csv', 'GET /f/:name')('GET', url)).toEqual({
        kind: 'malformed',
      })
    },
  )

  it('accepts any parameter name, even names of object members', () => {
    const [, params] = routerOf('GET /:constructor/:toString.a')('GET', '/1/2.a') as [
      string,
      object,
    ]
    expect(Object.entries(params)).toEqual([
      ['constructor', '1'],
      ['toString', '2'],
    ])
  })

  it('handles the longest URLs that a server can receive', () => {
    const match = routerOf('GET /:a-:b-:c.x')
    expect(match('GET', `/${'-'.repeat(16_000)}y`)).toEqual({ kind: 'none' })
    expect(match('GET', `/${'/'.repeat(16_000)}y`)).toEqual({ kind: 'none' })
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

  it('finds the GET route for HEAD, and the @All route for a method without its own route', () => {
    const match = routerOf('GET /a', 'ALL /b', 'POST /b')
    expect(match('HEAD', '/a')).toEqual(['GET /a', {}])
    expect(match('POST', '/b')).toEqual(['POST /b', {}])
    expect(match('PATCH', '/b')).toEqual(['ALL /b', {}])
    expect(match('TRACE', '/b')).toMatchObject({ kind: 'method' })
  })

  it.each([
    ['GET before @All', ['GET /a', 'ALL /a']],
    ['@All before GET', ['ALL /a', 'GET /a']],
  ])(
    'finds the GET route for HEAD instead of the @All route of the same path: %s',
    (_order, lines) => {
      const match = routerOf(...lines)
      expect(match('GET', '/a')).toEqual(['GET /a', {}])
      expect(match('HEAD', '/a')).toEqual(['GET /a', {}])
      expect(match('POST', '/a')).toEqual(['ALL /a', {}])
      expect(match('OPTIONS', '/a')).toEqual(['ALL /a', {}])
    },
  )

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

  it('treats paths that differ only in parameter names or letter case as the same path', () => {
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

describe('buildFinder', () => {
  it('finds only routes: neither an explanation of a miss nor a malformed path', () => {
    const find = buildFinder([{ index: 0, method: 'GET', path: '/users/:id' }])
    expect(find('GET', '/users/7')).toMatchObject({ kind: 'route', index: 0 })
    for (const url of ['/none', '/users/%ff', '/users/%00']) expect(find('GET', url)).toBeNull()
    expect(find('POST', '/users/7')).toBeNull()
  })
})
