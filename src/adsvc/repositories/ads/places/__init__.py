"""Finding by place: circles and boxes on the globe, and the SQL that finds what lies in them."""
