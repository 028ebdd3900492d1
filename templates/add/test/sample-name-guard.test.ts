import assert from 'node:assert/strict';
import { Auth, Controller, Get, type Request } from 'blazon';
import { TestApp } from 'blazon/testing';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { SampleNameGuard } from '../src/sample-name-guard.js';

class GuardOfAda extends SampleNameGuard {
  protected override async userOf(token: string) {
    return token === 'token-of-ada' ? { id: 'ada' } : undefined;
  }
}

@Auth()
@Controller('guarded')
class GuardedController {
  @Get()
  whoami({ user }: Request) {
    return { id: user?.['id'] };
  }
}

describe('SampleNameGuard', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.create({
      controllers: [GuardedController],
      auth: { guard: GuardOfAda },
      contract: 'throw',
    });
  });

  afterEach(() => app?.close());

  it('accepts the token of a user', async () => {
    const caller = app.withAuth('token-of-ada');
    const { body } = await caller.request().get('/guarded').expect(200);
    assert.deepEqual(body.data, { id: 'ada' });
  });

  it('refuses a missing or wrong token', async () => {
    await app.request().get('/guarded').expect(401);
    await app.withAuth('wrong').request().get('/guarded').expect(401);
  });
});
