/** The words of the login and of security are loaded with their pages. */
import { addMessages } from '../i18n';
import de from '../i18n/security/de.json';
import en from '../i18n/security/en.json';
import ru from '../i18n/security/ru.json';

addMessages({ en, de, ru });
