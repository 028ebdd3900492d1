// passport-login.ts
import {
  type AuthGuard,
  Controller,
  InjectionToken,
  inject,
  type NextFunction,
  Post,
  RateLimit,
  type Req,
  type Request,
  type Response,
  ServiceUnavailableError,
  UnauthorizedError,
  type User,
} from 'blazon'
import { SetsSession, sessions } from 'blazon/sessions'
import type passport from 'passport'
import { z } from 'zod'

type Authenticator = passport.Authenticator

/** Asks a strategy who has sent a request. Returns `undefined` if the strategy finds no user. */
export function askStrategy(
  authenticator: Authenticator,
  name: string,
  req: Request,
): Promise<User | undefined> {
  return new Promise((resolve, reject) => {
    const decide = (cause: unknown, user: unknown) => {
      // The directory is away: that is not a wrong password.
      if (cause) reject(new ServiceUnavailableError('The login does not work', { cause }))
      else resolve(user ? (user as User) : undefined)
    }
    authenticator.authenticate(name, { session: false }, decide)(req, req.res, reject)
  })
}

/** Makes a guard of a strategy that decides by the headers of a request, such as `bearer`, `basic` or `jwt`. */
export function strategyGuard(
  authenticator: Authenticator,
  name: string,
  about: Pick<AuthGuard, 'credentials' | 'challenge' | 'security'> = {},
): AuthGuard {
  return {
    ...about,
    async canActivate(req) {
      req.user = await askStrategy(authenticator, name, req)
      return req.user !== undefined
    },
  }
}

/** Makes a middleware for `@Use` of a strategy that sends the browser elsewhere, for the route of its answer, too. */
export function strategyStep(authenticator: Authenticator, name: string) {
  return (req: Request, _res: Response, next: NextFunction): void => {
    askStrategy(authenticator, name, req).then((user) => {
      req.user = user
      next(user === undefined ? new UnauthorizedError('The login has failed') : undefined)
    }, next)
  }
}

export const web = sessions()
/** An instance for each application. The package exports one instance for the whole process. */
export const Passport = new InjectionToken<Authenticator>('Passport')

/** What `passport-local` reads. */
const Credentials = z.object({ username: z.string().max(200), password: z.string().max(200) })

@Controller('session')
@RateLimit({ limit: 10, window: '1m' })
export class SessionController {
  private readonly passport = inject(Passport)

  @SetsSession()
  @Post('', { body: Credentials, errors: { 401: 'The name or the password is wrong' } })
  async login(req: Req<{ body: typeof Credentials }>) {
    const user = await askStrategy(this.passport, 'local', req)
    if (user === undefined) throw new UnauthorizedError('The name or the password is wrong')
    await (await web.of(req)).login(user)
  }

  @SetsSession()
  @Post('end')
  async logout(req: Request) {
    await (await web.of(req)).logout()
  }
}
