import type { OutgoingHttpHeaders } from 'node:http'
import { HttpError, type NextFunction, NotFoundError, type Request, type Response } from 'blazon'
import {
  AbleController,
  type Anything,
  allow,
  errorField,
  guarding,
  handling,
  KEYS,
  LimitedController,
  later,
  loggingBy,
  oddOf,
  ofLog,
  type Place,
  sent,
  tenancy,
  through,
  toss,
  UserLimitedController,
  user,
  withCache,
  withSchema,
} from './odd-place.js'

/** The places in which the framework receives a value from a program. */
export const PLACES: Readonly<Record<string, Place>> = {
  returned: handling(oddOf),
  'returned later': handling(async (req) => oddOf(req)),
  'returned much later': handling(async (req) => {
    await later()
    return { data: oddOf(req) }
  }),
  'returned by a generator': handling(function* generate(req) {
    yield oddOf(req)
    return oddOf(req)
  }),
  'returned inside an object': handling((req) => ({ odd: oddOf(req) })),
  'returned after a response': handling((req, res) => {
    res.json({ answered: true })
    return oddOf(req)
  }),
  thrown: handling((req) => toss(oddOf(req))),
  rejected: handling(async (req) => toss(oddOf(req))),
  'thrown after a response': handling((req, res) => {
    res.json({ answered: true })
    toss(oddOf(req))
  }),
  next: handling((req, _res, next) => next(oddOf(req))),
  'next, later': handling((req, _res, next) => void setImmediate(() => next(oddOf(req)))),
  'res.json': handling((req, res) => res.json(oddOf(req))),
  'res.json inside': handling((req, res) => void res.json({ odd: oddOf(req) })),
  // Node notices detached bytes only while it sends them.
  'res.send': { ...handling((req, res) => void res.send(oddOf(req))), mayCut: true },
  'res.status': handling((req, res) => void res.status(oddOf(req) as number).json({})),
  'res.statusCode': handling((req, res) => {
    res.statusCode = oddOf(req) as number
    return {}
  }),
  'res.statusMessage': handling((req, res) => {
    res.statusMessage = oddOf(req) as string
    return {}
  }),
  'res.set': handling((req, res) => void res.set('X-Odd', oddOf(req) as string).json({})),
  'res.set, all': handling((req, res) => void res.set(oddOf(req)).json({})),
  'res.setHeader, value': handling((req, res) => {
    res.setHeader('X-Odd', oddOf(req) as string)
    return {}
  }),
  'res.setHeader, name': handling(
    (req, res) => void res.setHeader(oddOf(req) as string, 'x').end(),
  ),
  'res.type': handling((req, res) => void res.type(oddOf(req) as string).send('x')),
  'res.cookie': handling((req, res) => void res.cookie('odd', oddOf(req)).json({})),
  'res.redirect': handling((req, res) => res.redirect(oddOf(req) as string)),
  'res.end': {
    ...handling((req, res) => {
      const odd = oddOf(req)
      // Node would call a function back, outside of all error handling.
      res.end(typeof odd === 'function' ? undefined : odd)
    }),
    mayCut: true,
  },
  'res.write': {
    ...handling((req, res) => {
      res.write(oddOf(req))
      res.end()
    }),
    mayCut: true,
  },
  'res.writeHead': {
    ...handling((req, res) => void res.writeHead(200, oddOf(req) as OutgoingHttpHeaders).end()),
    mayCut: true,
  },
  'res.locals': handling((req, res) => {
    Object.assign(res, { locals: oddOf(req) })
    return {}
  }),
  'this.ok, message': handling((req, res, _next, self) => self.ok(res, oddOf(req))),
  'this.ok, data': handling((req, res, _next, self) => self.ok(res, 'x', oddOf(req))),
  'this.ok, status': handling((req, res, _next, self) => self.ok(res, 'x', {}, oddOf(req))),
  'guard returns': guarding(oddOf),
  'guard resolves': guarding(async (req) => oddOf(req)),
  'guard throws': guarding((req) => toss(oddOf(req))),
  'guard rejects': guarding(async (req) => toss(oddOf(req))),
  'the user': user((odd) => odd),
  permissions: user((permissions) => ({ permissions })),
  roles: user((roles) => ({ roles })),
  'a permission': user((odd) => ({ permissions: [odd] })),
  'auth.can returns': {
    options: {
      controllers: [AbleController],
      auth: { guard: allow, can: (_u, _a, req) => oddOf(req) as boolean },
    },
    denies: true,
  },
  'auth.can throws': {
    options: {
      controllers: [AbleController],
      auth: { guard: allow, can: (_u, _a, req) => toss(oddOf(req)) },
    },
    denies: true,
  },
  'middleware returns': through((req: Request, _res: Response, next: NextFunction) => {
    next()
    return oddOf(req) as undefined
  }),
  'middleware throws': through((req: Request) => toss(oddOf(req))),
  'middleware rejects': through(async (req: Request) => toss(oddOf(req))),
  'middleware passes on': through((req: Request, _res: Response, next: NextFunction) =>
    next(oddOf(req)),
  ),
  'error middleware returns': handling(() => toss(new Error('x')), {
    middlewares: [
      ((error: unknown, req: Request, _res: Response, next: NextFunction) => {
        next(error)
        return oddOf(req)
      }) as Anything,
    ],
  }),
  'error middleware throws': handling(() => toss(new Error('x')), {
    middlewares: [
      ((_error: unknown, req: Request, _res: Response, _next: NextFunction) =>
        toss(oddOf(req))) as Anything,
    ],
  }),
  'error middleware passes on': handling(() => toss(new Error('x')), {
    middlewares: [
      ((_error: unknown, req: Request, _res: Response, next: NextFunction) =>
        next(oddOf(req))) as Anything,
    ],
  }),
  'interceptor returns': handling(() => 'x', {
    interceptors: [{ intercept: oddOf }],
  }),
  'interceptor throws': handling(() => 'x', {
    interceptors: [{ intercept: (req) => toss(oddOf(req)) }],
  }),
  'plugin step returns': handling(() => 'x', {
    plugins: [{ name: 'odd', steps: () => ({ beforeBody: () => oddOf }) }],
  }),
  'plugin step throws': handling(() => 'x', {
    plugins: [{ name: 'odd', steps: () => ({ beforeGuard: () => (req) => toss(oddOf(req)) }) }],
  }),
  'plugin step fails': handling(() => 'x', {
    plugins: [
      {
        name: 'odd',
        steps: (_route, { fail }) => ({
          aroundHandler: () => (req, res) => {
            fail(oddOf(req), req, res)
            return res
          },
        }),
      },
    ],
  }),
  // Some of the texts are ids.
  'tenant strategy': {
    options: tenancy({ header: false, strategies: [oddOf] }).options,
  },
  'tenant strategy throws': tenancy({
    header: false,
    strategies: [(req: Request) => toss(oddOf(req))],
  }),
  'tenant.authorize returns': tenancy({ strategies: [() => 't1'], authorize: oddOf }),
  'tenant.authorize rejects': tenancy({
    strategies: [() => 't1'],
    authorize: async (req: Request) => toss(oddOf(req)),
  }),
  'tenant.store returns': tenancy({
    strategies: [(req: Request) => `t${req.headers['x-odd']}`],
    positiveTtl: 0,
    store: { find: (id: string) => sent({ odd: Number(id.slice(1)) }) },
  }),
  'tenant.store rejects': tenancy({
    strategies: [(req: Request) => `t${req.headers['x-odd']}`],
    store: { find: async (id: string) => toss(sent({ odd: Number(id.slice(1)) })) },
  }),
  'tenant status': tenancy({
    strategies: [(req: Request) => `t${req.headers['x-odd']}`],
    store: {
      find: (id: string) => ({ id, status: sent({ odd: Number(id.slice(1)) }) ?? 'suspended' }),
    },
  }),
  'cache key': withCache({ key: oddOf }),
  'cache key throws': withCache({ key: (req: Request) => toss(oddOf(req)) }),
  'cache tags': withCache({ key: (req: Request) => `k${req.headers['x-odd']}`, tags: oddOf }),
  'cache tag': withCache({
    key: (req: Request) => `k${req.headers['x-odd']}`,
    tags: (req: Request) => [oddOf(req)],
  }),
  cached: withCache({ key: (req: Request) => `k${req.headers['x-odd']}` }, oddOf),
  'cached, thrown': withCache({ key: (req: Request) => `k${req.headers['x-odd']}` }, (req) =>
    toss(oddOf(req)),
  ),
  'limit by function': { options: { controllers: [LimitedController] } },
  'limit by user': {
    options: {
      controllers: [UserLimitedController],
      auth: {
        guard: {
          canActivate: (req: Request) => Boolean(Object.assign(req, { user: { id: oddOf(req) } })),
        },
      },
    },
  },
  'limit store': {
    options: {
      controllers: [LimitedController],
      rateLimit: {
        store: { consume: ({ key }) => sent({ odd: key.length % KEYS.length }) as never },
      },
    },
  },
  ...Object.fromEntries(
    ['status', 'code', 'message', 'errors', 'headers', 'expose', 'cause', 'name', 'stack'].flatMap(
      (name) => [
        [`${name} of an HTTP error`, errorField(name)],
        [
          `${name} of an HTTP error of 500`,
          errorField(name, () => new HttpError(500, 'x', { expose: true })),
        ],
        [
          `${name} of an error of http-errors`,
          errorField(name, () =>
            Object.assign(new Error('x'), { status: 404, statusCode: 404, expose: true }),
          ),
        ],
      ],
    ),
  ),
  'an error header': handling((req) =>
    toss(new HttpError(400, 'x', { headers: { 'X-Odd': oddOf(req) as string } })),
  ),
  'a status of a middleware error': through((req: Request) =>
    toss(Object.assign(new Error('x'), { status: oddOf(req), statusCode: oddOf(req) })),
  ),
  'req.id': {
    ...through((req: Request, _res: Response, next: NextFunction) => {
      Object.defineProperty(req, 'id', { get: () => toss(oddOf(req)) })
      next(new NotFoundError())
    }),
  },
  'req.id, itself': through((req: Request, _res: Response, next: NextFunction) => {
    Object.assign(req, { id: oddOf(req) })
    next(new NotFoundError())
  }),
  'logger throws': loggingBy((facts) => toss(ofLog(facts))),
  'logger returns': loggingBy(ofLog),
  'logger rejects': loggingBy(async (facts) => toss(ofLog(facts))),
  'validated to': withSchema((body) => ({ value: sent(body) })),
  'validation result': withSchema(sent),
  'validation issues': withSchema((body) => ({
    issues: [{ message: sent(body), path: [sent(body)] }],
  })),
  'validation issue': withSchema((body) => ({ issues: [sent(body)] })),
  'validation throws': withSchema((body) => toss(sent(body))),
  'validation rejects': withSchema(async (body) => toss(sent(body))),
}
