import { type AppOptions, type Class, Controller, Get } from 'blazon'
import { expect } from 'vitest'
import { bootProblems } from '../../support.js'

export class JwtGuard {
  canActivate() {
    return false
  }
}
export class RolesGuard extends JwtGuard {}
export class TrimPipe {
  transform(value: unknown) {
    return value
  }
}
export class AuditInterceptor {
  intercept(_context: unknown, next: { handle(): unknown }) {
    return next.handle() as never
  }
}
export class ErrorFilter {
  catch() {}
}

/** A valid controller with one route, and one method that is not a route. */
export function makeController(): Class {
  @Controller('users')
  class UsersController {
    @Get() list(_query?: unknown) {
      return []
    }
    helper() {}
  }
  return UsersController
}

/** The problems that keep a controller from starting. */
export async function problemsOf(controller: Class, options: AppOptions = {}) {
  const problems = await bootProblems({ controllers: [controller], ...options })
  for (const { cause, remedy } of problems) {
    expect(cause).toMatch(/\S.*\.$/)
    expect(remedy).toMatch(/\S.*\.$/)
  }
  return problems
}

export async function codesOf(controller: Class, options: AppOptions = {}): Promise<string[]> {
  return (await problemsOf(controller, options)).map(({ code, subject }) => `${code} ${subject}`)
}
