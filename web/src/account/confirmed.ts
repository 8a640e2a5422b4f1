/**
 * What confirms a change: the password. An account without one leaves it out, and the service takes a login of the last
 * five minutes instead.
 */
export const confirmedBy = (currentPassword: string): { currentPassword?: string } =>
  currentPassword === '' ? {} : { currentPassword };
