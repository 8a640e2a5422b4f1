/** The words of the console and of moderation are loaded with their pages. */
import { addMessages } from '../i18n';
import de from '../i18n/console/de.json';
import en from '../i18n/console/en.json';
import ru from '../i18n/console/ru.json';

addMessages({ en, de, ru });
