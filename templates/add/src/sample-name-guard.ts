import type { AuthGuard, Request } from 'blazon';

/** Admits a request if its bearer token belongs to a user. */
export class SampleNameGuard implements AuthGuard {
  async canActivate(req: Request) {
    const token = req.get('authorization')?.match(/^Bearer (\S+)$/i)?.[1];
    const user = token === undefined ? undefined : await this.userOf(token);
    if (user === undefined) return false;
    req.user = user;
    return true;
  }

  /** No request is admitted until this method finds your users. */
  protected async userOf(_token: string): Promise<Request['user']> {
    return undefined;
  }
}
